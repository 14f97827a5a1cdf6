// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * A BPF scheduler (sched_ext) that gives all tasks a CPU in their order, except those whose name begins with "held": these it keeps in
 * a queue of their own for HOLD_MS, or for ever when that is 0, until the kernel's watchdog finds them. It has no headers: the few types
 * that it names are found in the kernel's BTF when it is loaded.
 */
typedef unsigned long long u64;
typedef unsigned int u32;
typedef int s32;
typedef _Bool bool;

#define SEC(name) __attribute__((section(name), used))
#define KFUNC __attribute__((section(".ksyms")))
#define SCX_DSQ_LOCAL 0x8000000000000002ULL
#define SHARED 1
#define HELD 0x4e1dULL
#define SLICE_NS 20000000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct {
	char comm[16];
};
struct sched_ext_ops {
	s32 (*select_cpu)(struct task_struct *, s32, u64);
	void (*enqueue)(struct task_struct *, u64);
	void (*dispatch)(s32, struct task_struct *);
	s32 (*init)(void);
	u64 flags;
	u32 timeout_ms;
	char name[128];
};
#pragma clang attribute pop

extern s32 scx_bpf_create_dsq(u64 dsq_id, s32 node) KFUNC;
extern s32 scx_bpf_select_cpu_dfl(struct task_struct *p, s32 prev_cpu, u64 wake_flags, bool *is_idle) KFUNC;
extern void scx_bpf_dsq_insert(struct task_struct *p, u64 dsq_id, u64 slice, u64 enq_flags) KFUNC;
extern bool scx_bpf_dsq_move_to_local(u64 dsq_id) KFUNC;
extern s32 scx_bpf_dsq_nr_queued(u64 dsq_id) KFUNC;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;

char _license[] SEC("license") = "GPL";
static u64 held_since;

static __attribute__((always_inline)) bool is_held(const struct task_struct *p)
{
	return p->comm[0] == 'h' && p->comm[1] == 'e' && p->comm[2] == 'l' && p->comm[3] == 'd';
}

SEC("struct_ops/select_cpu")
s32 select_cpu(u64 *args)
{
	struct task_struct *p = (void *)args[0];
	bool idle = 0;
	s32 cpu = scx_bpf_select_cpu_dfl(p, (s32)args[1], args[2], &idle);

	if (idle && !is_held(p))
		scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SLICE_NS, 0);
	return cpu;
}

SEC("struct_ops/enqueue")
void enqueue(u64 *args)
{
	struct task_struct *p = (void *)args[0];

	if (!is_held(p)) {
		scx_bpf_dsq_insert(p, SHARED, SLICE_NS, args[1]);
		return;
	}
	if (!scx_bpf_dsq_nr_queued(HELD))
		held_since = bpf_ktime_get_ns();
	scx_bpf_dsq_insert(p, HELD, SLICE_NS, args[1]);
}

SEC("struct_ops/dispatch")
void dispatch(u64 *args)
{
	(void)args;
	if (HOLD_MS && bpf_ktime_get_ns() - held_since > HOLD_MS * 1000000ULL && scx_bpf_dsq_move_to_local(HELD))
		return;
	scx_bpf_dsq_move_to_local(SHARED);
}

SEC("struct_ops.s/init")
s32 init(u64 *args)
{
	s32 error = scx_bpf_create_dsq(SHARED, -1);

	(void)args;
	return error ? error : scx_bpf_create_dsq(HELD, -1);
}

SEC(".struct_ops")
struct sched_ext_ops hold = {
	.select_cpu = (void *)select_cpu,
	.enqueue = (void *)enqueue,
	.dispatch = (void *)dispatch,
	.init = (void *)init,
	.timeout_ms = 1500,
	.name = "hold",
};

import type { BalancersView, DrawerTab, LatencyView } from "../view-state/tab-views.ts";
/** What each kind of finding means, in one sentence with its kernel function, and where its evidence is shown. */

/** A part of the page that shows what a finding was found in. */
export interface Evidence {
  readonly tab: DrawerTab;
  readonly balancers?: BalancersView;
  readonly waits?: LatencyView;
  /** Panel of the timeline that shows the moment. */
  readonly panel: "nodes" | "cling" | "psi" | "ilb" | "memory";
  readonly words: string;
}

export interface KindWords {
  readonly means: string;
  readonly evidence: Evidence;
}

const CLING: Evidence = { tab: "balancers", balancers: "cling", panel: "cling", words: "Cling, by group" };
const OPS: Evidence = {
  tab: "balancers",
  balancers: "ops",
  panel: "nodes",
  words: "Attempts of the balancer",
};
const MEMORY: Evidence = {
  tab: "balancers",
  balancers: "memory",
  panel: "memory",
  words: "Memory and tasks",
};
const PSI: Evidence = { tab: "pressure", panel: "psi", words: "Pressure, replayed and sampled" };
const NODES: Evidence = { tab: "nodes", panel: "nodes", words: "Nodes, step by step" };
const ILB: Evidence = { tab: "latency", waits: "worst", panel: "ilb", words: "Who waited meanwhile" };

const KINDS: Readonly<Record<string, KindWords>> = {
  CLING_BUSY_NODE: {
    means:
      "While a node is busy for a group, its tasks no longer cling to it and their wake-ups and balancing may take them elsewhere (kernel: busy_node).",
    evidence: CLING,
  },
  CLING_PINGPONG: {
    means:
      "Each trip costs the caches and the local memory that the task had on the node it left (kernel: task_numa_migrate, load_balance).",
    evidence: { ...OPS, panel: "cling" },
  },
  CLING_IMBALANCE: {
    means:
      "Clinging tasks queued on a full node while another had idle CPUs: the degree is high enough to keep them there (kernel: migrate_degrades_locality).",
    evidence: CLING,
  },
  PREF_FAIL_STORM: {
    means:
      "Only the busiest node is compared with the degree: where another node fails, tasks go on preferring it until the timer halves the counters (kernel: busy_node, numa_balancing_cling_degree).",
    evidence: CLING,
  },
  STALE_BUSIEST: {
    means:
      "The busiest node is chosen anew only when an attempt fails; until then one without failures hides those with many (kernel: busy_node).",
    evidence: CLING,
  },
  WAKE_DRAG: {
    means:
      "A waker on another node pulled the task off the node that most of its memory is on (kernel: select_task_rq_fair, wake_affine).",
    evidence: { ...OPS, panel: "cling" },
  },
  NUMA_LB_FIGHT: {
    means:
      "The load balancer and the NUMA balancer pursue different ends: what one places, the other takes away (kernel: load_balance, task_numa_migrate).",
    evidence: OPS,
  },
  STICK_RATE: {
    means:
      "An attempt walks the CPUs of the preferred node and compares tasks; one that fails has cost that and moved nothing (kernel: task_numa_migrate).",
    evidence: OPS,
  },
  SWAP_RACE: {
    means:
      "The task to be swapped with had moved or slept before the swap was carried out (kernel: migrate_swap_stop).",
    evidence: OPS,
  },
  MOVE_INTO_BUSIER: {
    means:
      "The move made the queue at its end longer than the one it left: tasks that were there waited more (kernel: task_numa_compare, load_too_imbalanced).",
    evidence: OPS,
  },
  NUMA_NODE_STACKING: {
    means:
      "Tasks queued on one node while CPUs of another stood idle, which placement by memory may cause and load balancing should end (kernel: load_balance).",
    evidence: NODES,
  },
  NODE_IMBALANCE_PERSISTENT: {
    means:
      "The nodes were used unevenly for longer than balancing takes, so something keeps the tasks where they are (kernel: find_busiest_group).",
    evidence: NODES,
  },
  PAGE_CHURN: {
    means:
      "Pages were migrated for many hint faults although few of them were local afterwards: the copying did not pay (kernel: migrate_misplaced_page).",
    evidence: MEMORY,
  },
  JUST_TOO_LATE: {
    means:
      "The pages reached the node when their task was about to leave it: the copying was paid and not used (kernel: migrate_misplaced_page).",
    evidence: MEMORY,
  },
  MEM_CPU_FIGHT: {
    means:
      "Pages follow the task while the task follows the pages; each undoes the other's work (kernel: task_numa_placement).",
    evidence: MEMORY,
  },
  SHORT_DWELL: {
    means: "A stay that short ends before the memory can have followed the task (kernel: set_task_cpu).",
    evidence: MEMORY,
  },
  REFCOUNT_LEAK: {
    means: "Counters of migrated pages do not add up, which points at pages that were never given back.",
    evidence: MEMORY,
  },
  MIGRATE_FAULT_LATENCY: {
    means: "The faulting task pays for the copying itself (kernel: migrate_misplaced_page).",
    evidence: MEMORY,
  },
  LAZY_WASTE: { means: "Pages were unmapped for a migration that never came.", evidence: MEMORY },
  PSI_SPIKE_HIDDEN: {
    means:
      "A stall shorter than ten seconds hardly moves the running averages, which is where one usually looks (kernel: calc_avgs).",
    evidence: PSI,
  },
  PSI_MISMATCH: {
    means:
      "The replay and the kernel's own count disagree by more than reading them allows: events were lost, or the rules or HZ are another kernel's (kernel: psi_group_change).",
    evidence: PSI,
  },
  PSI_OBSERVER_LOSS: {
    means:
      "Reading the pressure files more often than every two jiffies makes the kernel lose stall time (kernel: collect_percpu_times).",
    evidence: PSI,
  },
  CPU_SOME_WAKE_ONLY: {
    means:
      "A single task between wake-up and running counts as CPU pressure, though nobody contends with it (kernel: psi_group_change).",
    evidence: PSI,
  },
  MEM_FULL_EPISODE: {
    means:
      "Nothing productive ran: every task that was not idle waited for memory (kernel: PSI_MEM_FULL, psi_memstall_enter).",
    evidence: PSI,
  },
  IO_VS_MEM_REFAULT: {
    means:
      "What looks like slow I/O are pages coming back that reclaim had thrown out (kernel: psi_memstall_enter, wait_on_page_bit).",
    evidence: PSI,
  },
  CGROUP_THROTTLE: {
    means:
      "Tasks of the cgroup could run and CPUs were free, so its quota held them back (kernel: throttle_cfs_rq).",
    evidence: PSI,
  },
  LOADAVG_MISLEADING: {
    means:
      "The load average counts tasks in uninterruptible sleep, too; CPUs were not what they waited for (kernel: calc_load_fold_active).",
    evidence: PSI,
  },
  ILB_KICK_DROPPED: {
    means:
      "A busy CPU requested balancing by an idle one for all idle CPUs, and it never did: waiting tasks found nobody to take them (kernel: nohz_balancer_kick).",
    evidence: ILB,
  },
  ILB_LATCHED: {
    means: "Until the balancer that was chosen lets go, no other may be kicked (kernel: nohz_kick_needed).",
    evidence: ILB,
  },
  ILB_LATE: {
    means:
      "An idle CPU takes over waiting tasks only when its next balancing is due (kernel: rebalance_domains, nohz_idle_balance).",
    evidence: ILB,
  },
  ILB_MONOPOLY: {
    means:
      "The first idle CPU in the mask is always chosen, and is woken for all others (kernel: find_new_ilb).",
    evidence: ILB,
  },
  ILB_STORM: {
    means: "Kicks came in nearly every tick; each is an interrupt for an idle CPU (kernel: kick_ilb).",
    evidence: ILB,
  },
  PICK_BLOCKED: {
    means:
      "Nobody could be chosen as idle load balancer although CPUs were idle (kernel: select_nohz_load_balancer).",
    evidence: ILB,
  },
  ILB_ABORTED: {
    means:
      "The balancer got work of its own and stopped before it had looked at all idle CPUs (kernel: nohz_idle_balance, need_resched).",
    evidence: ILB,
  },
};

const OTHER: KindWords = {
  means:
    "This page knows no more of findings of this kind; the waits of the window show which tasks it cost.",
  evidence: { tab: "latency", waits: "worst", panel: "nodes", words: "Who waited" },
};

/** By the id of a finding, or by the key that names it in a link. */
export function kindWords(id: string): KindWords {
  return KINDS[id.replace(/[#@].*$/, "")] ?? OTHER;
}

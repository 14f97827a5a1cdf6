// Generated from openapi.json by `npm run api`; do not edit.
export interface paths {
    "/api/v1/analyses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Analyses
         * @description The analyses that the asker owns or may read, newest first; all of them for an administrator.
         */
        get: operations["listAnalyses"];
        put?: never;
        /**
         * Create Analysis
         * @description Makes one analysis of finished uploads and queues it for reading.
         *
         *     404: no such upload. 409: an upload is not finished or already used. 413: more files than `max_files`.
         */
        post: operations["createAnalysis"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Analysis
         * @description One analysis, with what its page opens on once it is ready.
         */
        get: operations["getAnalysis"];
        put?: never;
        post?: never;
        /**
         * Delete Analysis
         * @description Deletes an analysis for good: its files (unless another analysis has the same), its bundle and its links.
         */
        delete: operations["deleteAnalysis"];
        options?: never;
        head?: never;
        /**
         * Change Analysis
         * @description Gives an analysis another title, description, tags or incident, or has it kept.
         */
        patch: operations["changeAnalysis"];
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/copies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Copy
         * @description Queues a copy for others: an analysis of its own that has a stretch, chosen tasks, or pseudonyms only.
         *
         *     Nothing of what was left out is in it: it is replayed anew from what is left. 409: not ready, or without its files.
         */
        post: operations["createCopy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/event-rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Event Rows
         * @description The events that a filter means in [from_ns, to_ns), ascending in time, page by page.
         *
         *     422 with one sentence that names the place when the filter is wrong.
         */
        get: operations["getEventRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/event-rows/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Event Rows
         * @description The events that a filter means as a download: `ts_ns`, `cpu`, `event_type`, then the fields of all their types.
         *
         *     Text is given as it was recorded, also in CSV: a spreadsheet may take text that begins with `=`, `+`, `-` or `@` for a
         *     formula.
         */
        get: operations["exportEventRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/events/{event}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Events
         * @description The decoded events of one type with all their fields, ascending in time, as a download.
         *
         *     Text is given as it was recorded, also in CSV: a spreadsheet may take text that begins with `=`, `+`, `-` or `@` for a
         *     formula.
         */
        get: operations["exportEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/hand-over": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand Over
         * @description Gives an analysis to somebody. Its giver stays as a reader, and may take it back until the new owner changes that.
         */
        post: operations["handOver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Notes
         * @description What was said about an analysis.
         */
        get: operations["listNotes"];
        put?: never;
        /**
         * Create Note
         * @description Keeps a note, under the name of who is signed in. 409: an answer to an answer, or too many notes. 422: without a name.
         */
        post: operations["createNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/notes/{note_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete Note
         * @description Removes a note: with its answers where an owner does, else its words alone when it has answers.
         */
        delete: operations["deleteNote"];
        options?: never;
        head?: never;
        /**
         * Change Note
         * @description Gives a note other words. 403 for those who neither wrote it nor own the analysis.
         */
        patch: operations["changeNote"];
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List People
         * @description Who owns and who reads an analysis; none where nobody signs in.
         */
        get: operations["listPeople"];
        /**
         * Put Person
         * @description Makes somebody an owner or a reader, or changes what they are.
         *
         *     409: nobody signs in here, nobody would own the analysis any more, or there are too many.
         */
        put: operations["putPerson"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/people/{person_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove Person
         * @description Takes an analysis from an owner or a reader. 409: nobody would own it any more.
         */
        delete: operations["removePerson"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch Progress
         * @description Tells every change until the analysis is ready or failed.
         */
        get: operations["watchProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Report
         * @description The analysis as `numalens.report/2`, the same as `numalens analyze --json` writes. 409 until it is ready.
         */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Written Reports
         * @description The reports about an analysis, without their words.
         */
        get: operations["listWrittenReports"];
        put?: never;
        /**
         * Create Written Report
         * @description Keeps a new report. 409: the analysis has too many.
         */
        post: operations["createWrittenReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/reports/{report_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Written Report
         * @description A report as readers see it.
         */
        get: operations["getWrittenReport"];
        put?: never;
        post?: never;
        /**
         * Delete Written Report
         * @description Removes a report with all that was ever saved of it.
         */
        delete: operations["deleteWrittenReport"];
        options?: never;
        head?: never;
        /**
         * Save Written Report
         * @description Keeps other words as the next revision.
         *
         *     409: somebody else saved since `revision`. The words are not lost: they are kept as a revision of their own.
         */
        patch: operations["saveWrittenReport"];
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/reports/{report_id}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Revisions
         * @description What is kept of a report. Readers with a link see none of it: what was taken out is not for them.
         */
        get: operations["listRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/reports/{report_id}/revisions/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Revision
         * @description A report as it was saved once.
         */
        get: operations["getRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/reread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reread Analysis
         * @description Queues the stored files for another reading, with other options; what is there now stays in use until it has succeeded.
         *
         *     409: it is being read, or its files are not kept here. 422: an offset for an input that it does not have.
         */
        post: operations["rereadAnalysis"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/samples/{table}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Samples
         * @description The rows of one sample table as a download: all rows, or those whose time is known and in [from_ns, to_ns).
         *
         *     First `input` u32 (position among the inputs) and `ts_ns` (null when the time is not known), then the sample's own
         *     stamps, then what was sampled. Text is given as it was recorded, also in CSV: a spreadsheet may take text that begins
         *     with `=`, `+`, `-` or `@` for a formula.
         */
        get: operations["exportSamples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/cling": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Cling
         * @description NUMA cling: failures of migrations by group and node, busy nodes, decisions, and how exact their replay is.
         *
         *     With a degree everything is a what-if up to the first moment that would have gone otherwise.
         */
        get: operations["getCling"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Findings
         * @description What the detectors found in the window, worst first.
         */
        get: operations["getFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/idle_balancing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Idle Balancing
         * @description The nohz idle load balancer: kicks, passes, idle time, and three of its versions side by side.
         *
         *     Its states are replayed from the recording's begin on; the answer is of the window.
         */
        get: operations["getIdleBalancing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/latency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Latency
         * @description From wake-up to running, for the waits that ended inside the window, and what they are made of.
         */
        get: operations["getLatency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/numa_balancing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Numa Balancing
         * @description Attempts of the NUMA balancer to place tasks: the Ops table, how they ended, and what each met.
         */
        get: operations["getNumaBalancing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/page_migration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Page Migration
         * @description Whether memory followed the CPUs or the CPUs the memory, and the statistics of auto-migration where sampled.
         */
        get: operations["getPageMigration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/placement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Placement
         * @description CPU time by numa group and node over time, and the nodes on which their memory lies.
         */
        get: operations["getPlacement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/psi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Psi
         * @description Pressure: replayed totals and averages, the kernel's own samples next to them, and the residual.
         *
         *     The window is the one that all CPUs' buffers have in common unless the query says otherwise. A series has at most 2,001 points. 409 until the analysis is ready.
         */
        get: operations["getPsi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/residency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Residency
         * @description Which tasks ran on which nodes.
         */
        get: operations["getResidency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/utilisation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Utilisation
         * @description How busy nodes and CPUs were, how even that was, and how long the runqueues were; the step is 5 s unless given.
         */
        get: operations["getUtilisation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/vmstat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Vmstat
         * @description What the counters of /proc/vmstat counted in the window, in mmtests' rows.
         */
        get: operations["getVmstat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Wait
         * @description One wait opened: its causes part by part, who ran meanwhile, which CPUs were idle, and who woke whom before.
         *
         *     The window is the wait: `from_ns` its `waking_ns`, `to_ns` its `switch_in_ns`.
         */
        get: operations["getWait"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/wait_heat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Wait Heat
         * @description How many of the window's waits were how long when: those that `latency` has percentiles of, by when they ended.
         */
        get: operations["getWaitHeat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/waits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Waits
         * @description The longest of the window's waits whose length is within `least_ns` and `below_ns` and whose end within the other two.
         *
         *     That is what a cell of `wait_heat` counts.
         */
        get: operations["getWaits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sections/waste": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Waste
         * @description CPU time that was idle while tasks waited, and why.
         */
        get: operations["getWaste"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Shares
         * @description The links of an analysis, without their secrets.
         */
        get: operations["listShares"];
        put?: never;
        /**
         * Create Share
         * @description Makes a link that opens this analysis at a view. Its secret is told here and never again.
         */
        post: operations["createShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/shares/{share_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke Share
         * @description Makes a link useless from this moment on.
         */
        delete: operations["revokeShare"];
        options?: never;
        head?: never;
        /**
         * Change Share
         * @description Gives a link another name or another end. 409 when it was revoked: that is for good.
         */
        patch: operations["changeShare"];
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/slice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Slice
         * @description The task's stay on `cpu` at `t_ns`. 404 when the CPU was idle then, or nobody knows.
         */
        get: operations["getSlice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/slice/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Next Slice
         * @description The first stay of `pid` on any CPU that starts after `t_ns`, or the last that starts before it. 404 when there is none.
         */
        get: operations["getNextSlice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query Sql
         * @description The rows of a PerfettoSQL query over the analysis, or over a stretch of it.
         *
         *     Times (`ts`, `dur`) are absolute ns of the trace's clock. What a query makes is gone when it has been answered. 404:
         *     samples without a recording. 413: the trace does not fit into the memory allowed. 422:
         *     the trace processor refuses the query, `line` and `column` say where if it does. 502: the engine died of the trace or the
         *     query. 503: too many ask at once. 504: stopped at the time limit.
         */
        post: operations["querySql"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sql/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export Sql
         * @description All rows of a query as a download, up to the most that this server allows; errors are those of `querySql`.
         *
         *     `mixed` columns are text. Text is given as it is, also in CSV: a spreadsheet may take text that begins with `=`, `+`, `-`
         *     or `@` for a formula.
         */
        post: operations["exportSql"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/sql/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Sql Schema
         * @description Tables, views, modules and functions that a query can use, and examples. Errors are those of `querySql`.
         */
        get: operations["getSqlSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/take-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take Back
         * @description Makes who handed an analysis over its owner again. 409: they did not, or its new owner made it theirs.
         */
        post: operations["takeBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Tasks
         * @description The (pid, name) pairs that ran: `task` u32, `pid` i32, `comm` utf8, `run_ns` `first_ns` `last_ns` u64.
         */
        get: operations["getTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Timeline
         * @description What is drawn in the window [from_ns, to_ns): one Arrow IPC stream with one record batch.
         *
         *     Columns: `lane` u16 (index into `lanes`), `kind` u8 (0 node bucket, 1 slice, 2 merged slices, 3 lost events, 4 unknown,
         *     5 waiting), `t0` `t1` f64 (ns after the schema metadata's `origin_ns`), `busy` f32, `wait` f32, `wait_max` u32, `task`
         *     u32 (row of the task table; 4294967295 = none), `count` u32. 409 until the analysis is ready.
         */
        get: operations["getTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/trace.pftrace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Trace
         * @description The events of a window, or of the whole recording, as a Perfetto trace; what the replays found stands in tracks.
         *
         *     404 for samples without a recording.
         */
        get: operations["exportTrace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Comparison
         * @description Two or more analyses beside each other, with statistics by both rules of significance, and how alike they are.
         *
         *     Who has only a link may not ask. 404: no such analysis, or one that the asker may not read. 409: one is not ready.
         */
        get: operations["getComparison"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Fleet
         * @description What there is to be asked about. Summaries that are missing are made meanwhile.
         */
        get: operations["getFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Fleet Findings
         * @description Findings by kind and period.
         */
        get: operations["getFleetFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/machines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Fleet Machines
         * @description The machines with their recordings, flips of busy nodes and worst findings.
         */
        get: operations["getFleetMachines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/metric": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Fleet Metric
         * @description A metric by groups over time: of all recordings of a period together, and the least and most of each by itself.
         *
         *     What a kernel would have done (`what-if`) is left out.
         */
        get: operations["getFleetMetric"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/sql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query Fleet
         * @description The rows of one SELECT over the summaries, in a process of its own that reaches nothing else.
         *
         *     422: no SELECT, refused, or longer than this server allows (NUMALENS_SQL_SECONDS, NUMALENS_FLEET_MEMORY_BYTES).
         */
        post: operations["queryFleet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/upgrade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Fleet Upgrade
         * @description Every metric before and after a change of kernels, on the machines that had both, each recording one value.
         *
         *     Without names these are the newest kernel and the one before it. 422: there are no two kernels, or no machine had both.
         */
        get: operations["getFleetUpgrade"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Info
         * @description Version, caps, how people sign in, and who is asking.
         */
        get: operations["getInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List All Shares
         * @description The links of all analyses that the asker owns, without their secrets.
         */
        get: operations["listAllShares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/shares/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open Share
         * @description What a link opens. 404: unknown. 410: revoked or expired. 429: too many unknown ones were tried.
         *
         *     After that, requests for the analysis carry the secret in the header `X-NumaLens-Share`.
         */
        post: operations["openShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin Sign In
         * @description Begins to sign in. 409: nobody signs in here. 422: `return_to` is no path of this page. 502, 503: the issuer fails.
         */
        post: operations["beginSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish Sign In
         * @description Signs somebody in: their session is in a cookie. Any session that this browser had ends.
         *
         *     400: the sign-in was begun elsewhere. 403: the issuer does not vouch for it, or this person may not sign in.
         */
        post: operations["finishSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign Out
         * @description Ends this browser's session, or all sessions of its person, and tells where the issuer ends its own.
         *
         *     The sessions here have ended then, whatever the issuer does or the browser.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Tokens
         * @description The asker's tokens, without their secrets; everybody's for an administrator.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create Token
         * @description Makes a token by which a program acts for the asker: to upload and look at what it made, or to do all that they may.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke Token
         * @description Makes a token useless from this moment on.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/uploads/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Upload
         * @description Announces a file; the answer's Location takes its bytes. 413: above the cap. 507: the disk has no room for it.
         */
        post: operations["createUpload"];
        delete?: never;
        /**
         * Describe Uploads
         * @description What this server speaks: version, extensions, largest upload.
         */
        options: operations["describeUploads"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/uploads/{upload_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete Upload
         * @description Gives an upload up; its bytes are deleted. 409: an analysis already has it.
         */
        delete: operations["deleteUpload"];
        options?: never;
        /**
         * Get Upload Offset
         * @description How many bytes of an upload are here. Ends a PATCH that still runs, so that the number stays true.
         */
        head: operations["getUploadOffset"];
        /**
         * Append To Upload
         * @description Appends the body. 409: the offset is not the present one. 413: the body is longer than announced.
         */
        patch: operations["appendToUpload"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Alignment
         * @description How an input's times became times of the analysis, and how far off they may be.
         */
        Alignment: {
            /**
             * Clock
             * @description The clock that the input's own times count.
             */
            clock?: string | null;
            /**
             * Drift Ppb
             * @description How fast the clocks drift apart; the offset holds in the middle of the input.
             * @default 0
             */
            drift_ppb: number;
            /**
             * Evidence
             * @description What the offset was found from, one sentence.
             */
            evidence: string;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred";
            /**
             * Method
             * @description `none`: the times cannot be placed, and the owner has to say the shift (see `reread`).
             * @enum {string}
             */
            method: "reference" | "same-clock" | "markers" | "clock-pairs" | "user" | "none";
            /**
             * Offset Ns
             * @description What is added to the input's own times; null when unknown.
             */
            offset_ns?: string | null;
            /**
             * Uncertainty Ns
             * @description The true time is at most this far away.
             */
            uncertainty_ns?: string | null;
        };
        /** @description How `task_numa_find_cpu` judges a move to a free CPU (`adjust_numa_imbalance` since 5.7). */
        Allowance: "load_test" | "source_almost_idle" | "quarter_of_node" | "llc_quarter" | "llc_eighth";
        /**
         * Analysis
         * @description One or more recordings and series of samples, read together.
         *
         *     Status and progress are those of the latest reading. While files are read again the result of the reading before stays
         *     in use, and it is kept when the new one fails: then the status is `ready` and `error` says why.
         */
        Analysis: {
            /**
             * Access
             * @enum {string}
             */
            access: "owner" | "view";
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            error?: components["schemas"]["InputFailure"] | null;
            /**
             * Handed Over
             * @description The asker handed it over and may take it back.
             */
            handed_over: boolean;
            /** Id */
            id: string;
            /**
             * Incident
             * @description What several analyses are about together; null for who has only a link.
             */
            incident: string | null;
            /** Inputs */
            inputs: components["schemas"]["AnalysisInput"][];
            /**
             * Keep
             * @description The rule of retention leaves it alone.
             */
            keep: boolean;
            /**
             * May
             * @description What the asker may do besides looking; an owner may do everything.
             */
            may: ("comment" | "download")[];
            /**
             * Offsets
             * @description Shifts that the owner asked for: shown name of an input to the ns added to its own times.
             */
            offsets: {
                [key: string]: string;
            };
            /**
             * Owners
             * @description Names of who owns it; none: the administrators, or the asker has only a link and is not told.
             */
            owners: string[];
            progress?: components["schemas"]["Progress"] | null;
            /**
             * Rereadable
             * @description False when the files are not kept here, so that they cannot be read again.
             */
            rereadable: boolean;
            /** Sample */
            sample: boolean;
            /**
             * Status
             * @enum {string}
             */
            status: "queued" | "parsing" | "ready" | "failed";
            /**
             * Tags
             * @description Empty for who has only a link.
             */
            tags: string[];
            /** Title */
            title: string;
            /**
             * Tolerant
             * @description Read in spite of damage: what cannot be read is skipped and told.
             */
            tolerant: boolean;
        };
        /**
         * AnalysisDetail
         * @description An analysis with what its page opens on.
         */
        AnalysisDetail: {
            /**
             * Access
             * @enum {string}
             */
            access: "owner" | "view";
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            error?: components["schemas"]["InputFailure"] | null;
            /**
             * Handed Over
             * @description The asker handed it over and may take it back.
             */
            handed_over: boolean;
            /** Id */
            id: string;
            /**
             * Incident
             * @description What several analyses are about together; null for who has only a link.
             */
            incident: string | null;
            /** Inputs */
            inputs: components["schemas"]["AnalysisInput"][];
            /**
             * Keep
             * @description The rule of retention leaves it alone.
             */
            keep: boolean;
            /**
             * May
             * @description What the asker may do besides looking; an owner may do everything.
             */
            may: ("comment" | "download")[];
            /**
             * Offsets
             * @description Shifts that the owner asked for: shown name of an input to the ns added to its own times.
             */
            offsets: {
                [key: string]: string;
            };
            /**
             * Owners
             * @description Names of who owns it; none: the administrators, or the asker has only a link and is not told.
             */
            owners: string[];
            progress?: components["schemas"]["Progress"] | null;
            /**
             * Rereadable
             * @description False when the files are not kept here, so that they cannot be read again.
             */
            rereadable: boolean;
            /** Sample */
            sample: boolean;
            /**
             * Status
             * @enum {string}
             */
            status: "queued" | "parsing" | "ready" | "failed";
            /**
             * Tags
             * @description Empty for who has only a link.
             */
            tags: string[];
            /** @description Null until a reading has succeeded; of the reading before while files are read again. */
            timeline?: components["schemas"]["TimelineInfo"] | null;
            /** Title */
            title: string;
            /**
             * Tolerant
             * @description Read in spite of damage: what cannot be read is skipped and told.
             */
            tolerant: boolean;
        };
        /**
         * AnalysisInput
         * @description One file of an analysis, or one member of an archive once that was read; what only reading tells is null until then.
         *
         *     Recordings have `events`, series of samples have `samples`, `rows` and `tables`.
         */
        AnalysisInput: {
            alignment?: components["schemas"]["Alignment"] | null;
            /** Bytes */
            bytes: number;
            /** Clock */
            clock?: string | null;
            /** Cpus */
            cpus?: number | null;
            /** Events */
            events?: number | null;
            /**
             * Facts
             * @description What the file says about itself.
             */
            facts?: {
                [key: string]: string;
            };
            /** Kernel */
            kernel?: string | null;
            /**
             * Kind
             * @example trace.dat
             * @example perf.data
             * @example ftrace-text
             * @example perfetto
             * @example psi
             * @example topology
             */
            kind?: string | null;
            /**
             * Lost Events
             * @description Sum of the losses whose size the kernel told.
             */
            lost_events?: number | null;
            /**
             * Lost Marks
             * @description Places where events were lost, sizes told or not.
             */
            lost_marks?: number | null;
            /**
             * Name
             * @description Shown name: `incident.tgz/trace.dat` for a member of an archive.
             */
            name: string;
            /**
             * Resolution Ns
             * @description The step in which the times of events or samples are told.
             */
            resolution_ns?: number | null;
            /**
             * Rows
             * @description Rows of all sample tables.
             */
            rows?: number | null;
            /**
             * Samples
             * @description Moments at which samples were taken.
             */
            samples?: number | null;
            /**
             * Skipped
             * @description The first 20 of them.
             */
            skipped?: components["schemas"]["SkippedPart"][];
            /**
             * Skipped Count
             * @description Parts that tolerant reading left out.
             * @default 0
             */
            skipped_count: number;
            /**
             * Tables
             * @description Rows per sample table.
             */
            tables?: {
                [key: string]: number;
            };
        };
        /**
         * AnalysisList
         * @description The analyses that the asker owns or may read, newest first.
         */
        AnalysisList: {
            /** Analyses */
            analyses: components["schemas"]["Analysis"][];
        };
        /** @description One thing to point out. */
        Annotation: {
            /**
             * @description It is a what-if that stands after the point where cling parts from what was recorded: no claim but "with these
             *     attempts".
             */
            after_parting: boolean;
            /** @description What decided. */
            by: components["schemas"]["DecidedBy"];
            /**
             * Format: int32
             * @description Where it was to go; -1 for none.
             */
            dnid: number;
            /** @description The kernel's function. */
            function: string;
            /**
             * Format: uint32
             * @description Number of the group.
             */
            group: number;
            /** @description What. */
            kind: components["schemas"]["AnnotationKind"];
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description How it ended. */
            outcome: components["schemas"]["AnnotationOutcome"];
            /**
             * Format: int32
             * @description The task, if it is about one.
             */
            pid: number | null;
            /**
             * Format: int32
             * @description Where the task or the memory was; -1 for none.
             */
            snid: number;
            /** @description When, ns. */
            t_ns: string;
        };
        /** @description What happened. */
        AnnotationKind: "wake_affine" | "load_balance" | "swap" | "busy" | "no_longer_busy" | "pause_prefer" | "resettle" | "memory" | "parts";
        /** @description How it ended. */
        AnnotationOutcome: "clings" | "released" | "busy" | "not_busy" | "paused" | "resettled" | "memory_leaves" | "memory_refused";
        /** @description Who ran on a wait's CPU during it. */
        Antagonist: {
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint64
             * @description How long during the wait.
             */
            ns: number;
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: uint32
             * @description Row of the table of tasks.
             */
            task: number;
        };
        /** @description An attempt of the NUMA balancer to bring a task to its preferred node. */
        Attempt: {
            /** @description The task's name. */
            comm: string;
            /**
             * Format: uint32
             * @description CPU of its first event.
             */
            cpu: number;
            /**
             * Format: int32
             * @description The CPU that was chosen; -1 for none.
             */
            dst_cpu: number;
            /**
             * Format: int32
             * @description Its node; -1 for none.
             */
            dst_nid: number;
            /** @description Time of the event that told its end (the kernel accounts it then or later), ns; at least `start_ns`. */
            end_ns: string;
            /** @description What it met. */
            explanation: components["schemas"]["Explanation"] | null;
            /** @description Null when not known. */
            failed: boolean | null;
            /**
             * Format: int32
             * @description Its numa group as printed: the founder's pid, 0 for none; -1 when no event printed it.
             */
            ngid: number;
            /** @description With whom it was to swap. */
            partner: components["schemas"]["Partner"] | null;
            /** @description That of the other task of a swap. */
            partner_comm: string | null;
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: int32
             * @description What `task_numa_migrate` returned, where a probe tells.
             */
            ret: number | null;
            /**
             * Format: int32
             * @description Where it ran; -1 when unknown.
             */
            src_cpu: number;
            /**
             * Format: int32
             * @description Its node; -1 when unknown.
             */
            src_nid: number;
            /** @description Time of its first event, ns of the reference clock; ascends from row to row. */
            start_ns: string;
            /** @description How that is known. */
            target_from: components["schemas"]["AttemptTarget"];
            /**
             * Format: int32
             * @description The preferred node when it began; -1 when unknown.
             */
            target_nid: number;
            /**
             * Format: int32
             * @description Its process; 0 when unknown.
             */
            tgid: number;
            /** @description How it ended. */
            verdict: components["schemas"]["AttemptVerdict"];
        };
        /** @description How the attempt's target node is known. */
        AttemptTarget: "unknown" | "entry" | "two_nodes" | "setnuma" | "sample" | "destination" | "last_destination";
        /** @description How an attempt of `task_numa_migrate` ended. */
        AttemptVerdict: "unknown" | "moved" | "swapped" | "no_cpu" | "move_failed" | "move_refused" | "swap_raced" | "swap_refused" | "no_domain";
        /**
         * @description The statistics of a kernel with migrate-on-fault and auto-migration (Linux 2.6.36-mmotm): counts since boot,
         *     in the order in which they are printed. Pages are base pages. The fields are named like the columns of the sample table.
         */
        AutomigCounters: {
            /**
             * Format: uint64
             * @description AD, "pgs added" to the migration cache.
             */
            added: number;
            /**
             * Format: uint64
             * @description DU, "duplicates": further references to entries of the cache.
             */
            duplicates: number;
            /**
             * Format: uint64
             * @description FA, "pages failed": of these, those that could not be unmapped or migrated.
             */
            failed: number;
            /**
             * Format: uint64
             * @description LC, "pgs loc checked": found in the swap or migration cache by `do_swap_page`, not mapped, stable.
             */
            loc_checked: number;
            /**
             * Format: uint64
             * @description MG, "pages migrated": all migrations, also by `mbind`.
             */
            migrated: number;
            /**
             * Format: uint64
             * @description MP, "pages misplacd": of these, those that the memory policy in effect wants elsewhere.
             */
            misplaced: number;
            /**
             * Format: uint64
             * @description FR, "refs freed": references given back.
             */
            refs_freed: number;
            /**
             * Format: uint64
             * @description RM, "pgs removd" from it.
             */
            removed: number;
            /**
             * Format: uint64
             * @description SC, "pages scanned": looked at by these walks.
             */
            scanned: number;
            /**
             * Format: uint64
             * @description SE, "pages selected": anonymous pages that were to follow.
             */
            selected: number;
            /**
             * Format: uint64
             * @description TM, "tasks migrated": moves of tasks between nodes that made them walk their memory, and kicks.
             */
            tasks_migrated: number;
        };
        /** @description What a row added to the one before. */
        AutomigDelta: {
            /**
             * Format: int64
             * @description Change of E.
             */
            cached: number;
            /** @description What was counted; `None` when a counter went back. */
            counted: components["schemas"]["AutomigCounters"] | null;
            /** @description Time of the row before, ns. */
            from_ns: string | null;
            /**
             * Format: double
             * @description `1 - dLC / dRM`, pages unmapped for nothing; `None` when nothing left the cache.
             */
            lazy_waste: number | null;
            /**
             * Format: int64
             * @description Change of Lr.
             */
            references: number;
            /**
             * Format: int64
             * @description Change of X.
             */
            shared: number;
            /** @description Time of this row, ns. */
            to_ns: string | null;
        };
        /** @description Ratios of counters; `None` where the divisor is 0. */
        AutomigRatios: {
            /**
             * Format: double
             * @description `LC / AD`: how many of the unmapped pages were touched. The table of 2006 has faults per unmapped page.
             */
            checked_per_added: number | null;
            /**
             * Format: double
             * @description `1 - LC / RM`: pages unmapped for nothing. A lower bound, for LC counts pages found in the swap cache as well.
             */
            lazy_waste: number | null;
            /**
             * Format: double
             * @description `MP / LC`: how many of the pages that were touched again lay on the wrong node.
             */
            misplaced_per_checked: number | null;
            /**
             * Format: double
             * @description `MP / SE`: how many of the pages that were to follow did.
             */
            misplaced_per_selected: number | null;
            /**
             * Format: double
             * @description `SC / SE`: pages looked at for one that was to follow.
             */
            scanned_per_selected: number | null;
            /**
             * Format: double
             * @description `SE / TM`: pages that were to follow one move of a task.
             */
            selected_per_task: number | null;
        };
        /** @description What follows from a row. */
        AutomigRow: {
            /**
             * Format: int64
             * @description `MG - MP`.
             */
            beyond_misplaced: number;
            /**
             * Format: int64
             * @description E: entries in the migration cache, `AD - RM`.
             */
            cached: number;
            /** @description The row. */
            counters: components["schemas"]["AutomigCounters"];
            /**
             * Format: int64
             * @description `SE - AD`.
             */
            never_cached: number;
            /**
             * Format: int64
             * @description Lr: references to them, `AD + DU - FR`.
             */
            references: number;
            /**
             * Format: int64
             * @description X: references beyond each entry's first, `Lr - E`; 0 when no cached page is shared.
             */
            shared: number;
            /** @description Its time, ns. */
            t_ns: string | null;
        };
        /** @description The table, judged. */
        AutomigTable: {
            /** @description What each row but the first added. */
            deltas: components["schemas"]["AutomigDelta"][];
            /** @description How good the derived values are: replayed, or inferred where rows were read while they changed. */
            label: components["schemas"]["Label"];
            /** @description Every law. */
            laws: components["schemas"]["LawCheck"][];
            /** @description Entries that seem to be lost. */
            leak: components["schemas"]["Leak"] | null;
            /** @description What would make them better. */
            missing: string[];
            /** @description Ratios of the last row's counts since boot; `None` without rows. */
            ratios: components["schemas"]["AutomigRatios"] | null;
            /** @description Every row and what follows from it. */
            rows: components["schemas"]["AutomigRow"][];
            /** @description The same of what was counted between the first row and the last. */
            window: components["schemas"]["AutomigRatios"] | null;
        };
        /** @description The rules of kernels from one version on. */
        BalancingRules: {
            /** @description How moves to a free CPU are judged. */
            allowance: components["schemas"]["Allowance"];
            /** @description How nodes are classified. */
            classifier: components["schemas"]["Classifier"];
            /** @description The first version with them. */
            from: components["schemas"]["KernelVersion"];
            /**
             * @description `is_core_idle` asks the CPU itself instead of its siblings, so any idle CPU passes for an idle core. Stable releases of
             *     5.10 and 5.14 were mended later on.
             */
            idle_core_bug: boolean;
            /** @description The first version with them, for people; what was before 5.7 goes by the last one before. */
            name: string;
            /** @description The search prefers tasks that go home, and ends early (the last patches of the series). */
            prefers_home: boolean;
            /**
             * Format: uint32
             * @description `imbalance_pct` of a NUMA domain by default, percent.
             */
            sd_imbalance_pct: number;
        };
        /**
         * BeginSignIn
         * @description Where somebody wants to be once they are signed in.
         */
        BeginSignIn: {
            /**
             * Return To
             * @description A path of this server's own page, with its query.
             * @default /
             */
            return_to: string;
        };
        /**
         * BegunSignIn
         * @description Where the browser has to go now.
         */
        BegunSignIn: {
            /**
             * Url
             * @description The issuer's page; it sends the browser back to `/signed-in`.
             */
            url: string;
        };
        /** @description What lies between the first and the last sample of a file in the window. */
        Between: {
            from_ns: string;
            /** Format: uint64 */
            full_us: number | null;
            label: components["schemas"]["Label"];
            /** Format: uint */
            samples: number;
            /** Format: uint64 */
            some_us: number | null;
            to_ns: string;
        };
        /** @description A stretch in which a node was busy for a group. */
        BusyInterval: {
            /** @description When it became busy, ns. */
            from_ns: string;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /** @description When it was not any longer, ns; the end of what is known if it still was. */
            to_ns: string;
        };
        /** @description A node's row. */
        BusyNode: {
            /**
             * Format: uint64
             * @description `AVR`: mean of the cells before they were rounded, rounded the same way.
             */
            average: number;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /** @description Its cells, whole percents, halves rounded up. */
            percent: number[];
        };
        /** @description Time that waits spent on a cause. */
        CauseTime: {
            /** @description The cause. */
            cause: string;
            /**
             * Format: uint64
             * @description ns.
             */
            ns: number;
        };
        /** @description The waits of a cgroup's own tasks. */
        CgroupWaits: {
            /** @description What they consisted of. */
            causes: components["schemas"]["CauseTime"][];
            /** @description Its path. */
            cgroup: string;
            /**
             * Format: uint64
             * @description Its wake-ups.
             */
            count: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Waits after a preemption, which are in none of the numbers above.
             */
            preempted: number;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            preempted_ns: number;
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
        };
        /**
         * ChangeAnalysis
         * @description What is to be different about an analysis; what is left out stays.
         */
        ChangeAnalysis: {
            /** Description */
            description?: string | null;
            /**
             * Incident
             * @description What several analyses are about together; empty takes it away.
             */
            incident?: string | null;
            /**
             * Keep
             * @description Whether the rule of retention leaves it alone.
             */
            keep?: boolean | null;
            /** Tags */
            tags?: string[] | null;
            /** Title */
            title?: string | null;
        };
        /**
         * ChangeNote
         * @description Other words for a note.
         */
        ChangeNote: {
            /** Text */
            text: string;
        };
        /**
         * ChangeShare
         * @description What is to be different about a link; what is left out stays.
         */
        ChangeShare: {
            /** Expires In S */
            expires_in_s?: number | null;
            /** Name */
            name?: string | null;
        };
        /** @description How many of a kind were compared. */
        Checked: {
            /**
             * Format: uint64
             * @description Lines that told a value for the first time: nothing to compare with.
             */
            adopted: number;
            /** @description The kind. */
            check: components["schemas"]["ClingCheck"];
            /**
             * Format: uint64
             * @description Compared.
             */
            compared: number;
            /**
             * Format: uint64
             * @description Of these, exactly as replayed.
             */
            exact: number;
            /**
             * Format: uint64
             * @description Of these, as replayed shortly before or after: such lines read without the group's lock.
             */
            near: number;
        };
        /** @description What the kernel printed, compared with the replay. */
        CheckedLines: {
            /** @description How many lines of each kind were compared. */
            kinds: components["schemas"]["Checked"][];
            /** @description The first of the window. */
            violations: components["schemas"]["Violation"][];
            /**
             * Format: uint
             * @description Of the whole recording.
             */
            violations_all: number;
        };
        /** @description How `numa_classify` tells what a node is. */
        Classifier: "none" | "util" | "util_and_runnable";
        /** @description What did not come out as printed. */
        ClingCheck: "attempt" | "timer" | "timer_end" | "show" | "sample" | "decision" | "pause" | "memory" | "members" | "reset" | "invariant";
        /** @description What tells of cling. */
        ClingEvidence: "lines" | "readings" | "what_if";
        /** @description A section's content and the window that it is about. */
        ClingSection: {
            /** @description What else happened, by time. */
            annotations: components["schemas"]["Annotation"][];
            /**
             * Format: uint
             * @description How many more there are.
             */
            annotations_more: number;
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description The kernel's lines against the replay; null without lines of the kernel. */
            checked: components["schemas"]["CheckedLines"] | null;
            /** @description Whether tasks were kept on their node or allowed off it, by time. */
            decisions: components["schemas"]["Annotation"][];
            /**
             * Format: uint
             * @description How many more there are.
             */
            decisions_more: number;
            /**
             * Format: uint32
             * @description At the window's end, percent.
             */
            degree: number;
            /** @description Each change of it: from when on, and its value. */
            degrees: [
                string,
                number
            ][];
            /** @description By scheduler events alone; null without lines of the kernel. */
            from_events: components["schemas"]["FromEvents"] | null;
            /** @description By events, probes and readings of the groups' files; null without lines of the kernel. */
            from_everything: components["schemas"]["FromEvents"] | null;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description The numa groups. */
            groups: components["schemas"]["Group"][];
            /** @description What tells of it. */
            known_by: components["schemas"]["ClingEvidence"];
            /** @description How the replay of events came to what was read from the groups' files. */
            readings: components["schemas"]["Readings"];
            /**
             * Format: uint64
             * @description Period of the timer that halves the counters, ns.
             */
            timer_period_ns: number;
            /** @description Its end. */
            to_ns: string;
            /** @description Null unless a degree was asked for. */
            what_if: components["schemas"]["ClingWhatIf"] | null;
        };
        /** @description Where a decision was made. */
        ClingSite: "wake_affine" | "load_balance" | "swap" | "elect" | "retry" | "memory";
        /** @description Everything with a degree. */
        ClingWhatIf: {
            /**
             * Format: uint32
             * @description The degree.
             */
            degree: number;
            /** @description See [`WhatIf::first_reset_ns`]. */
            first_reset_ns: string | null;
            /** @description The groups. */
            groups: components["schemas"]["GroupWhatIf"][];
            /** @description Always what-if. */
            label: components["schemas"]["Label"];
            /** @description What the replay lacked, each once. */
            missing: string[];
            /** @description The first point at which cling decides otherwise: claims end here, for all groups, since they share the CPUs. */
            parts: components["schemas"]["Point"] | null;
        };
        /**
         * ComparedAnalysis
         * @description What one of the analyses is, so far as that matters for comparing it.
         */
        ComparedAnalysis: {
            /** Clock */
            clock: string | null;
            /** Cpus */
            cpus: number;
            /**
             * Degree
             * @description Cling's degree, percent; null where no cling is told of.
             */
            degree: number | null;
            /** Events */
            events: number;
            /** Hz */
            hz: number | null;
            /** Hz Label */
            hz_label: ("observed" | "replayed" | "inferred" | "what-if") | null;
            /** Id */
            id: string;
            /** Inputs */
            inputs: string[];
            /** Kernel */
            kernel: string | null;
            /**
             * Key
             * @description How sentences call it.
             * @example A
             * @example B2
             */
            key: string;
            /**
             * Length Ns
             * @description Recorded part of the window.
             */
            length_ns: number;
            /** Lost Events */
            lost_events: number;
            /** Lost Marks */
            lost_marks: number;
            /** Nodes */
            nodes: components["schemas"]["ComparedNode"][];
            /**
             * Rules
             * @description First kernel version with the NUMA balancer's rules.
             */
            rules: string | null;
            /** Side */
            side: number;
            /** Title */
            title: string;
            /** Topology Source */
            topology_source: string;
            /** Window Ns */
            window_ns: string[];
        };
        /**
         * ComparedCell
         * @description A side of a row; the differences are from the base's side, where they are null.
         */
        ComparedCell: {
            /**
             * Cell 2020
             * @description As mmtests prints it, by the rule of 2020.
             * @example * -24.28%*
             */
            cell_2020: string | null;
            /** Cell 2024 */
            cell_2024: string | null;
            /**
             * Change Mean
             * @description In whole percents, positive is more.
             */
            change_mean: number | null;
            /** Change Median */
            change_median: number | null;
            intervals: components["schemas"]["Intervals"] | null;
            /** Label */
            label: ("observed" | "replayed" | "inferred" | "what-if") | null;
            /**
             * Mean
             * @description Of counts the rate per second. Null where nothing is known.
             */
            mean: number | null;
            /** Missing */
            missing: string[];
            /**
             * Percent
             * @description Positive is better, or more where neither is better; null where there is no ratio.
             */
            percent: number | null;
            /**
             * Reason
             * @description Why a value, or that of one of its runs, is missing.
             */
            reason: string | null;
            summary: components["schemas"]["Spread"] | null;
            t_test: components["schemas"]["TTest"] | null;
            /**
             * Total
             * @description Of counts.
             */
            total: number | null;
        };
        /**
         * ComparedFindings
         * @description Findings by detector, those of some sides only first.
         */
        ComparedFindings: {
            /** Absent */
            absent: (string | null)[];
            /** Kinds */
            kinds: components["schemas"]["FindingKind"][];
        };
        /**
         * ComparedHistogram
         * @description Wake-up waits of one analysis by length.
         */
        ComparedHistogram: {
            /**
             * At Most Percent
             * @description In the bin or below it, of all; empty without any.
             */
            at_most_percent: number[];
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * Counts
             * @description One more than there are edges.
             */
            counts: number[];
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /**
             * Percent
             * @description Of all; empty without any.
             */
            percent: number[];
            /** Wakeups */
            wakeups: number;
        };
        /** @description How many lines were compared. */
        ComparedLines: {
            /** @description By kind. */
            kinds: components["schemas"]["Checked"][];
            /**
             * Format: uint
             * @description Those that the replay does not come to.
             */
            violations_all: number;
        };
        /**
         * ComparedNode
         * @description A NUMA node and its CPUs.
         */
        ComparedNode: {
            /** Cpus */
            cpus: number[];
            /** Nid */
            nid: number;
        };
        /**
         * ComparedRow
         * @description A node's row of the per-node table.
         */
        ComparedRow: {
            /** Average */
            average: number;
            /** Nid */
            nid: number;
            /** Percent */
            percent: number[];
        };
        /**
         * ComparedSamples
         * @description What the values of the statistics are.
         */
        ComparedSamples: {
            /**
             * By
             * @enum {string}
             */
            by: "windows" | "runs";
            /** Sentence */
            sentence: string;
            /** Step Ns */
            step_ns: number;
        };
        /**
         * ComparedSide
         * @description One of the things that are compared: a kernel, a setting; one run of it or several.
         */
        ComparedSide: {
            /**
             * Analyses
             * @description Positions in `analyses`.
             */
            analyses: number[];
            /** Key */
            key: string;
            /** Name */
            name: string;
        };
        /**
         * ComparedTable
         * @description A table; rows that no side has anything of are left out.
         */
        ComparedTable: {
            /**
             * Absent
             * @description By side: why all of it is missing there.
             */
            absent: (string | null)[];
            /**
             * Name
             * @example statistics
             * @example ops
             * @example vmstat
             * @example psi
             * @example latency
             */
            name: string;
            /** Rows */
            rows: components["schemas"]["ComparedTableRow"][];
            /** Title */
            title: string;
        };
        /**
         * ComparedTableRow
         * @description A row of a table.
         */
        ComparedTableRow: {
            /**
             * Better
             * @enum {string}
             */
            better: "higher" | "lower" | "neither";
            /**
             * Counted
             * @description The row has totals, and its means are rates per second.
             */
            counted: boolean;
            /**
             * Mean
             * @enum {string}
             */
            mean: "harmonic" | "arithmetic";
            /** Name */
            name: string;
            /** Sides */
            sides: components["schemas"]["ComparedCell"][];
            /** Title */
            title: string;
            /**
             * Unit
             * @description Of counted rows that of the total.
             * @example
             * @example ns
             * @example ms
             * @example %
             * @example points
             */
            unit: string;
        };
        /**
         * ComparedUtilisation
         * @description The per-node table of one analysis, from its window's begin.
         */
        ComparedUtilisation: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /** Nodes */
            nodes: components["schemas"]["ComparedRow"][];
        };
        /**
         * ComparedWarning
         * @description Why the analyses are not alike, and what that does to the numbers.
         */
        ComparedWarning: {
            /** Analyses */
            analyses: number[];
            /**
             * Kind
             * @description A name; more may come.
             * @example topology
             * @example events
             * @example length
             * @example lost
             * @example hz
             */
            kind: string;
            /** Sentence */
            sentence: string;
            /**
             * Severity
             * @enum {string}
             */
            severity: "warning" | "note";
        };
        /**
         * ComparisonAnswer
         * @description Two or more analyses beside each other, `numalens.comparison/1`.
         */
        ComparisonAnswer: {
            /** Analyses */
            analyses: components["schemas"]["ComparedAnalysis"][];
            /**
             * Base
             * @description Side that the others are compared with.
             */
            base: number;
            findings: components["schemas"]["ComparedFindings"];
            latency: components["schemas"]["LatencyBins"];
            samples: components["schemas"]["ComparedSamples"];
            /** Sides */
            sides: components["schemas"]["ComparedSide"][];
            /**
             * Step Ns
             * @description Step of the per-node tables.
             */
            step_ns: number;
            /** Tables */
            tables: components["schemas"]["ComparedTable"][];
            /** Utilisation */
            utilisation: (components["schemas"]["ComparedUtilisation"] | components["schemas"]["Unavailable"])[];
            /**
             * Warnings
             * @description Why they are not like with like, the gravest first.
             */
            warnings: components["schemas"]["ComparedWarning"][];
        };
        /** @description A law of today's numbers. */
        Conserved: {
            /** @description Whether it holds; `None` when a side is not known. */
            holds: boolean | null;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What it says. */
            law: string;
            /**
             * Format: uint64
             * @description The left side: the smaller one, or what events tell.
             */
            left: number | null;
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: int64
             * @description `right - left`.
             */
            residual: number | null;
            /**
             * Format: uint64
             * @description The right side: what the counter tells.
             */
            right: number | null;
            /** @description Which of both may be larger. */
            rule: components["schemas"]["ConservedRule"];
            /**
             * Format: uint64
             * @description What may be between them: calls of which nobody knows on which side of a sample they are, and one call more.
             */
            slack: number;
        };
        /** @description What a kernel's counter and its events have in common. */
        ConservedRule: "equal" | "at_least";
        /** @description When placement was settled. */
        Convergence: {
            /**
             * Format: uint64
             * @description The whole machine, by hinting faults and all tasks: ns after the window's begin; `None` when not in the window.
             */
            after_ns: number | null;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description Processes of which the memory is known. */
            processes: components["schemas"]["ProcessConvergence"][];
        };
        /** @description Moves of tasks to the node that holds most of their memory. */
        CpuFollowsMemory: {
            /** @description How many moves each kind of sample judged. */
            by: [
                components["schemas"]["MemoryEvidence"],
                number
            ][];
            /**
             * Format: uint64
             * @description Those to the memory.
             */
            following: number;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: uint64
             * @description All moves between nodes in the window.
             */
            moves: number;
            /**
             * Format: double
             * @description `following / moves`; `None` when the memory of none is known.
             */
            share: number | null;
            /**
             * Format: uint64
             * @description Those of which nobody knows where the memory was.
             */
            unknown: number;
        };
        /**
         * CreateAnalysis
         * @description Finished uploads that become one analysis.
         */
        CreateAnalysis: {
            /**
             * Title
             * @description Made from the file names when null.
             */
            title?: string | null;
            /**
             * Tolerant
             * @description Skip what is damaged instead of failing, and tell what was skipped.
             * @default false
             */
            tolerant: boolean;
            /**
             * Uploads
             * @description Upload ids: last path part of their tus Location.
             */
            uploads: string[];
        };
        /**
         * CreateCopy
         * @description What a copy of an analysis is to have.
         */
        CreateCopy: {
            /** From Ns */
            from_ns?: string | null;
            /**
             * Pseudonyms
             * @description Names of tasks, cgroups, files and machines become numbers; kernel threads keep their names.
             * @default false
             */
            pseudonyms: boolean;
            /**
             * Tasks
             * @description Numbers of threads; of the others' events only that they had a CPU is left, under one name. Samples of cgroups and of the whole machine stay. Null: all.
             */
            tasks?: number[] | null;
            /** Title */
            title?: string | null;
            /**
             * To Ns
             * @description The last moment that it has.
             */
            to_ns?: string | null;
        };
        /**
         * CreateNote
         * @description Something to be said.
         */
        CreateNote: {
            /**
             * Author
             * @description The name that the writer goes by; nobody checks it. Who is signed in needs none.
             */
            author?: string | null;
            /**
             * Parent Id
             * @description The first note of the conversation it answers to.
             */
            parent_id?: string | null;
            /** @description Null: about the analysis as a whole. Answers have none. */
            place?: components["schemas"]["NotePlace"] | null;
            /** Text */
            text: string;
        };
        /**
         * CreateReport
         * @description A report to be kept.
         */
        CreateReport: {
            /**
             * Text
             * @description Markdown. A fenced block `numalens timeline` (or `finding`, `table`, `sql`) with the address of a view is drawn as that view.
             * @default
             * @example Between 16.5 s and 22.6 s the cgroup was throttled.
             *
             *     ```numalens timeline
             *     /a/k5gkx3vhw2d6ymbt?v=2&w=16500000000~22600000000
             *     ```
             */
            text: string;
            /**
             * Title
             * @example Checkout stalled on 3 May
             */
            title: string;
        };
        /**
         * CreateShare
         * @description A link to be made.
         */
        CreateShare: {
            /**
             * Expires In S
             * @default 2592000
             */
            expires_in_s: number | null;
            /**
             * May
             * @description What it allows besides looking.
             * @default []
             */
            may: ("comment" | "download")[];
            /**
             * Name
             * @description Whom or what it is for; only owners see it.
             * @default
             */
            name: string;
            /**
             * View
             * @description The page's query string; empty: the whole analysis, as it opens by itself.
             */
            view: string;
        };
        /**
         * CreateToken
         * @description A token to be made.
         */
        CreateToken: {
            /**
             * Days
             * @description Null: for good.
             * @default 90
             */
            days: number | null;
            /** Name */
            name: string;
            /**
             * Scope
             * @default upload
             * @enum {string}
             */
            scope: "upload" | "owner";
        };
        /**
         * CreatedNote
         * @description A new note with the secret by which its author may change it.
         */
        CreatedNote: {
            /** Author */
            author: string;
            /**
             * By Owner
             * @description Written by an owner, not by a reader or somebody with a link.
             */
            by_owner: boolean;
            /** Changed At */
            changed_at: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /**
             * Key
             * @description To be sent as `X-NumaLens-Note`; told here and never again. A vouched note needs none.
             */
            key: string;
            /** Parent Id */
            parent_id: string | null;
            place: components["schemas"]["NotePlace"] | null;
            /**
             * Text
             * @description Empty: withdrawn by its author; what was answered stays.
             */
            text: string;
            /**
             * Vouched
             * @description The author was signed in under this name; else it is what somebody typed.
             */
            vouched: boolean;
            /**
             * Yours
             * @description The asker wrote it, signed in.
             */
            yours: boolean;
        };
        /**
         * CreatedShare
         * @description A new shared link with its secret.
         */
        CreatedShare: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Expires At */
            expires_at: string | null;
            /** Id */
            id: string;
            /** Token */
            token: string;
            /**
             * Url
             * @description Path of the link, to be put after the page's own origin.
             */
            url: string;
        };
        /**
         * CreatedToken
         * @description A new token.
         */
        CreatedToken: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Expires At */
            expires_at: string | null;
            /** Id */
            id: string;
            /**
             * Last Used At
             * @description To the minute.
             */
            last_used_at: string | null;
            /** Name */
            name: string;
            /**
             * Person
             * @description Name of for whom it acts; null: for an administrator.
             */
            person: string | null;
            /** Revoked */
            revoked: boolean;
            /**
             * Scope
             * @enum {string}
             */
            scope: "upload" | "owner";
            /**
             * Secret
             * @description Sent as `Authorization: Bearer`; told here and never again.
             */
            secret: string;
        };
        /** @description How tasks crossed nodes: `lb_cross` and the NUMA balancer's part add up to `total`. */
        Crossings: {
            /**
             * Format: uint64
             * @description Of `lb_cross`, tasks that slept.
             */
            asleep: number;
            /**
             * Format: int64
             * @description `total`, less one for each move and two for each swap that succeeded across nodes: everything but the NUMA balancer.
             *     Below 0 when migrations are missing.
             */
            lb_cross: number;
            /**
             * Format: uint64
             * @description Of them, those that the NUMA balancer moved or swapped.
             */
            numa: number;
            /**
             * Format: uint64
             * @description Of `lb_cross`, tasks that were runnable or ran: the load balancer, a change of affinity, an exec.
             */
            runnable: number;
            /**
             * Format: uint64
             * @description Tasks that came to a CPU of another node (`sched_migrate_task`).
             */
            total: number;
            /**
             * Format: int64
             * @description What of `lb_cross` no migration explains: below 0 for moves and swaps that succeeded and whose migrations were not seen,
             *     above 0 for migrations whose attempt began before the window.
             */
            unexplained: number;
            /**
             * Format: uint64
             * @description Of `lb_cross`, tasks of which nobody knows what they did then.
             */
            unknown: number;
            /**
             * Format: uint64
             * @description Of `lb_cross`, tasks that a wake-up placed.
             */
            wakeup: number;
        };
        /** @description The numbers that decided. */
        DecidedBy: {
            /**
             * Format: int32
             * @description `busiest_nid`.
             */
            busiest_nid: number;
            /**
             * Format: uint32
             * @description `kernel.numa_balancing_cling_degree`.
             */
            degree: number;
            /**
             * Format: uint64
             * @description `FAILURE_SCALED`: failed attempts to reach the node.
             */
            f: number;
            /**
             * Format: int32
             * @description The node that they are of.
             */
            nid: number;
            /**
             * Format: uint64
             * @description `FAILURE_RATIO`, percent; 0..=99.
             */
            q: number;
            /**
             * Format: uint64
             * @description `TOTAL_SCALED`: all attempts to reach it.
             */
            t: number;
        };
        /** @description The depth of runqueues: tasks that are runnable and not on a CPU. */
        Depth: {
            /** @description By node. */
            nodes: components["schemas"]["DepthNode"][];
            /**
             * Format: uint64
             * @description Length of a step, ns; the last one may be shorter.
             */
            step_ns: number;
        };
        /** @description Tasks that wait on a node's CPUs, over time. */
        DepthNode: {
            /** @description Most that ever waited for more than an instant in each step. */
            max: number[];
            /** @description Mean over each step's time. */
            mean: number[];
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
        };
        /** @description How long calls that migrate pages took, by reason. */
        Durations: {
            /**
             * Format: uint64
             * @description Calls that ended in the window.
             */
            batches: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description Pages that could not be.
             */
            failed: number;
            /**
             * Format: uint64
             * @description The longest.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half took at most this long, ns.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % did.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Base pages migrated.
             */
            pages: number;
            /** @description The reason's name; empty when nothing tells. */
            reason: string;
            /**
             * Format: uint64
             * @description Time in all, ns.
             */
            sum_ns: number;
            /**
             * Format: uint64
             * @description Of these, those whose begin is recorded: the times are theirs.
             */
            timed: number;
        };
        /**
         * @description How long tasks stayed on a node: the time between two moves to other nodes. What lies before a task's first such move
         *     and after its last is no complete dwell.
         */
        Dwell: {
            /**
             * Format: uint64
             * @description Complete dwells that end in the window.
             */
            count: number;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description The longest.
             */
            max_ns: number | null;
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: uint64
             * @description Half of them are at most this long, ns.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /** @description Those under a second. */
            short: components["schemas"]["Shorter"];
            /** @description Time on the wrong node in dwells under a second. */
            short_remote: components["schemas"]["RemoteRun"];
            /**
             * Format: uint64
             * @description The sum of all, ns.
             */
            sum_ns: number;
            /** @description Those that a migration interval of 5, 30 and 300 s would not have allowed. */
            violations: components["schemas"]["Shorter"][];
        };
        /** @description Today's source of a statistic. */
        Equivalent: {
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description What it was called. */
            name: string;
            /** @description What is different. */
            note: string;
            /** @description What tells it, or something like it; `None` where nothing does. */
            source: string | null;
            /** @description The statistic's short name. */
            statistic: string;
            /**
             * Format: uint64
             * @description How much in the window: for counters of `/proc/vmstat` between its first and last sample.
             */
            value: number | null;
        };
        /**
         * ErrorBody
         * @description The body of every answer with a status of 400 and above.
         */
        ErrorBody: {
            error: components["schemas"]["ErrorInfo"];
        };
        /**
         * ErrorInfo
         * @description What went wrong, for people; the other fields are for programs and depend on the error.
         */
        ErrorInfo: {
            /**
             * Cap
             * @description Name of the setting whose limit was met.
             */
            cap?: string | null;
            /**
             * Id
             * @description Number under which the server logged an unexpected error.
             */
            id?: string | null;
            /**
             * Sentence
             * @description One sentence: what happened, where, and what was expected.
             */
            sentence: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * EventPage
         * @description Some of the events that a filter means.
         */
        EventPage: {
            /** Events */
            events: components["schemas"]["EventRow"][];
            /**
             * Matched
             * @description All events of the window that are meant, on this page or not.
             */
            matched: number;
            /**
             * Next Page
             * @description Give it as `after` for the next page; null behind the last event.
             */
            next_page?: string | null;
        };
        /**
         * EventRow
         * @description One recorded event.
         */
        EventRow: {
            /** Cpu */
            cpu: number;
            /** Event */
            event: string;
            /**
             * Fields
             * @description Name and text of each field that has a value.
             */
            fields: [
                string,
                string
            ][];
            /**
             * Input
             * @description Position among the inputs.
             */
            input: number;
            /** System */
            system: string;
            /**
             * Ts Ns
             * @example 172800000000000
             */
            ts_ns: string;
        };
        /** @description Where a kind of fact comes from. */
        EvidenceSource: {
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What a better answer would need; empty unless inferred. */
            missing: string[];
            /** @description Name of the event, file or rule. */
            name: string;
        };
        /** @description What an attempt met when it began. */
        Explanation: {
            /** @description What each version's rules say of it; empty without `imbalance`. */
            answers: components["schemas"]["RulesAnswer"][];
            /**
             * Format: uint
             * @description Which of the attempts that were handed in.
             */
            attempt: number;
            /**
             * Format: int32
             * @description The node that is explained: the one of the CPU that was chosen, else the preferred one; -1 when neither is known.
             */
            dst_nid: number;
            /**
             * Format: uint64
             * @description Of a move into a node that would run at least 3 tasks more than the source: time that tasks waited on the destination
             *     in the next 100 ms beyond what those that waited before would have, task-ns.
             */
            extra_wait_ns: number | null;
            /** @description The numbers of a move between the two; `None` unless both are known and differ. */
            imbalance: components["schemas"]["Imbalance"] | null;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /** @description Why it found no CPU; only for those that did not. */
            no_cpu: components["schemas"]["NoCpu"] | null;
            /** @description All nodes, in the machine's order. */
            nodes: components["schemas"]["NodeAt"][];
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: int32
             * @description From which node; -1 when not known.
             */
            src_nid: number;
            /** @description When it began, ns of the reference clock. */
            start_ns: string;
        };
        /**
         * @description Windows of 10 s in which a process has both: tasks moved from one node to another where the memory is, and pages moved
         *     the other way.
         */
        Fight: {
            /**
             * Format: double
             * @description The same if every move of unknown memory went to it.
             */
            at_most: number | null;
            /**
             * Format: uint64
             * @description Those in which some process fights itself.
             */
            fighting: number;
            /**
             * Format: double
             * @description `fighting / windows`; `None` without windows, or when nothing tells where any memory was.
             */
            index: number | null;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description The worst processes, by `at_most`'s rule where nothing tells of memory. */
            processes: components["schemas"]["Fighter"][];
            /**
             * Format: uint64
             * @description Windows, from the begin of what was asked for; the last may be shorter.
             */
            windows: number;
        };
        /** @description A process whose tasks go to the memory while its memory goes to the tasks. */
        Fighter: {
            /**
             * Format: uint64
             * @description Windows in which it moved at all, tasks or pages.
             */
            active: number;
            /**
             * Format: uint64
             * @description Moves of its tasks in them.
             */
            moves: number;
            /**
             * Format: uint64
             * @description Pages that went against its tasks, in these windows, between the same two nodes.
             */
            pages: number;
            /** @description Time that it ran off its memory in them. */
            remote: components["schemas"]["RemoteRun"];
            /**
             * Format: int32
             * @description The process.
             */
            tgid: number;
            /**
             * Format: uint64
             * @description Windows in which it fought.
             */
            windows: number;
        };
        /** @description One finding. */
        Finding: {
            /** @description The cgroup it concerns. */
            cgroup: string | null;
            /** @description Where it begins, ns of the reference clock. */
            from_ns: string;
            /** @description Name of the detector. */
            id: string;
            /**
             * Format: double
             * @description What it cost, ms; at most the window times its CPUs.
             */
            impact_ms: number;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description Nodes it concerns, if only some. */
            nodes: number[];
            /** @description Tasks it concerns, the worst first. */
            pids: number[];
            /** @description How bad it is. */
            severity: components["schemas"]["Severity"];
            /** @description What happened, to whom, where, when, what it cost: one sentence. */
            summary: string;
            /** @description Where it ends, ns. */
            to_ns: string;
        };
        /**
         * FindingHere
         * @description The costliest finding of a kind on one side.
         */
        FindingHere: {
            /** Analysis */
            analysis: number;
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /** Impact Ms */
            impact_ms: number;
            /** Nodes */
            nodes: number[];
            /** Pids */
            pids: number[];
            /** Summary */
            summary: string;
            /**
             * To Ns
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * FindingKind
         * @description A detector's findings by side.
         */
        FindingKind: {
            /** Id */
            id: string;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Only
             * @description The sides that have it, where not all have.
             */
            only: number[] | null;
            /**
             * Severity
             * @enum {string}
             */
            severity: "high" | "medium" | "low";
            /** Sides */
            sides: components["schemas"]["FindingSide"][];
        };
        /**
         * FindingPlace
         * @description Where the costliest finding of a kind is.
         */
        FindingPlace: {
            /** Analysis */
            analysis: string;
            /** Cost Ms */
            cost_ms: number;
            /** Machine */
            machine: string;
            /** Title */
            title: string;
        };
        /**
         * FindingSide
         * @description What a detector found on one side.
         */
        FindingSide: {
            /** Count */
            count: number;
            worst: components["schemas"]["FindingHere"] | null;
        };
        /** @description A section's content and the window that it is about. */
        FindingsSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Ranked by what they cost. */
            findings: components["schemas"]["Finding"][];
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description Its end. */
            to_ns: string;
        };
        /**
         * FinishSignIn
         * @description What the issuer sent the browser back with.
         */
        FinishSignIn: {
            /** Code */
            code: string;
            /** State */
            state: string;
        };
        /**
         * FinishedSignIn
         * @description Who is signed in, and where they wanted to be.
         */
        FinishedSignIn: {
            /** Name */
            name: string;
            /** Return To */
            return_to: string;
        };
        /**
         * FleetFinding
         * @description The findings of a kind in a period.
         */
        FleetFinding: {
            /** Cost Ms */
            cost_ms: number;
            /**
             * Cost Ms Per Second
             * @description Per second of all these recordings.
             */
            cost_ms_per_second: number | null;
            /** Count */
            count: number;
            /** Kind */
            kind: string;
            /**
             * Label
             * @description The weakest.
             */
            label: ("observed" | "replayed" | "inferred" | "what-if") | null;
            /**
             * Looked At
             * @description Recordings of the period, with or without it.
             */
            looked_at: number;
            /** Machines */
            machines: number;
            /** Period */
            period: string | null;
            /** Recordings */
            recordings: number;
            /**
             * Severity
             * @description The gravest.
             * @enum {string}
             */
            severity: "high" | "medium" | "low";
            worst: components["schemas"]["FindingPlace"];
        };
        /**
         * FleetFindings
         * @description Findings by kind and period, by time, the costliest first.
         */
        FleetFindings: {
            /** Findings */
            findings: components["schemas"]["FleetFinding"][];
        };
        /**
         * FleetMachine
         * @description A machine: its name is told by an input, or by a tag `machine:NAME`; without either it is called by its size.
         */
        FleetMachine: {
            /** Cpus */
            cpus: number | null;
            /**
             * First Seen
             * Format: date-time
             */
            first_seen: string;
            /**
             * Flips
             * @description Flips of busy nodes under NUMA cling; null where no recording tells of them.
             */
            flips: number | null;
            /** Flips Per Minute */
            flips_per_minute: number | null;
            /**
             * Flips What If
             * @description Those of kernels that have no cling, as if they had it.
             */
            flips_what_if: number | null;
            /**
             * Kernel
             * @description Of the latest recording.
             */
            kernel: string;
            /**
             * Kernels
             * @description How many it has been recorded with.
             */
            kernels: number;
            /**
             * Label
             * @description The weakest label of the flips.
             */
            label: ("observed" | "replayed" | "inferred" | "what-if") | null;
            /**
             * Last Seen
             * Format: date-time
             */
            last_seen: string;
            /**
             * Latest
             * @description Id of the latest recording.
             */
            latest: string;
            /** Latest Title */
            latest_title: string;
            /** Machine */
            machine: string;
            /**
             * Most Flips
             * @description Id of the recording with most flips.
             */
            most_flips: string | null;
            /** Nodes */
            nodes: number | null;
            /** Recordings */
            recordings: number;
            /** Recordings With Flips */
            recordings_with_flips: number;
            worst: components["schemas"]["WorstFinding"] | null;
        };
        /**
         * FleetMachines
         * @description The machines of a stretch of time, those with most flips first.
         */
        FleetMachines: {
            /** Machines */
            machines: components["schemas"]["FleetMachine"][];
        };
        /**
         * FleetMetric
         * @description Something that can be followed over time.
         */
        FleetMetric: {
            /**
             * Better
             * @enum {string}
             */
            better: "higher" | "lower" | "neither";
            /** Name */
            name: string;
            /** Title */
            title: string;
            /** Unit */
            unit: string;
        };
        /**
         * FleetOverview
         * @description What there is to be asked about.
         */
        FleetOverview: {
            /** First Seen */
            first_seen: string | null;
            /**
             * Kernels
             * @description In the order of their versions.
             */
            kernels: string[];
            /** Last Seen */
            last_seen: string | null;
            /** Machines */
            machines: string[];
            /** Metrics */
            metrics: components["schemas"]["FleetMetric"][];
            /**
             * Pending
             * @description Summaries that are still to be made.
             */
            pending: number;
            /**
             * Recordings
             * @description Analyses with a summary.
             */
            recordings: number;
            /** Tags */
            tags: string[];
        };
        /**
         * FleetPoint
         * @description A metric of a group in a period.
         */
        FleetPoint: {
            /** Group */
            group: string;
            /** Label */
            label: ("observed" | "replayed" | "inferred" | "what-if") | null;
            /**
             * Latest
             * @description Id of the latest recording that has the number.
             */
            latest: string | null;
            /**
             * Least
             * @description Of the recordings, each by itself.
             */
            least: number | null;
            /**
             * Looked At
             * @description All of the group in the period.
             */
            looked_at: number;
            /** Most */
            most: number | null;
            /**
             * Period
             * @description The period's begin; null: all of the time.
             */
            period: string | null;
            /**
             * Recordings
             * @description That have the number.
             */
            recordings: number;
            /**
             * Value
             * @description Of all recordings together. A percentile is the upper edge of its bin: at most this, and more than `value_least`.
             */
            value: number | null;
            /** Value Least */
            value_least: number | null;
        };
        /**
         * FleetRows
         * @description The rows of a query.
         */
        FleetRows: {
            /** Columns */
            columns: components["schemas"]["SelectColumn"][];
            /**
             * Rows
             * @description Null; a decimal string in `integer` columns; a number in `real` columns, or `inf`, `-inf`, `nan` as a string; all else as text.
             */
            rows: (string | number | null)[][];
            /** Truncated */
            truncated: boolean;
        };
        /**
         * FleetSelect
         * @description A query over the summaries.
         */
        FleetSelect: {
            /**
             * Limit
             * @default 1000
             */
            limit: number;
            /**
             * Sql
             * @description One SELECT of DuckDB's SQL over `recordings`, `facts`, `waits`, `nodes`, `distances` and `findings`.
             * @example SELECT kernel, count(*) FROM recordings GROUP BY kernel
             */
            sql: string;
        };
        /**
         * FleetSeries
         * @description A metric over time.
         */
        FleetSeries: {
            metric: components["schemas"]["FleetMetric"];
            /** Points */
            points: components["schemas"]["FleetPoint"][];
        };
        /**
         * FleetUpgrade
         * @description Before and after a change of kernels, on the machines that had both.
         */
        FleetUpgrade: {
            /** Machines */
            machines: string[];
            /** Rows */
            rows: components["schemas"]["UpgradeRow"][];
            /** Sides */
            sides: components["schemas"]["UpgradeSide"][];
        };
        /** @description A node became busy for a group, or stopped being it. */
        Flip: {
            /**
             * Format: int32
             * @description `busiest_nid` from then on.
             */
            busiest_nid: number;
            /** @description Whether it is busy from then on. */
            busy: boolean;
            /**
             * Format: uint32
             * @description The degree then.
             */
            degree: number;
            /**
             * Format: uint64
             * @description `FAILURE_SCALED`: failed attempts to reach the node.
             */
            f: number;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description `FAILURE_RATIO`, percent; 0..=99.
             */
            q: number;
            /**
             * Format: uint64
             * @description `TOTAL_SCALED`: all attempts to reach it.
             */
            t: number;
            /** @description When, ns. */
            t_ns: string;
        };
        /** @description What was reproduced. */
        FromEvents: {
            /** @description Attempts: task, group, node, verdict. */
            attempts: components["schemas"]["Reproduced"];
            /** @description F, T, Q and "is the busiest" of a node, each time that one of them changed. */
            counters: components["schemas"]["Reproduced"];
            /** @description Flips of busy nodes. */
            flips: components["schemas"]["Reproduced"];
            /**
             * Format: uint64
             * @description Attempts that were rightly not counted.
             */
            rightly_not_counted: number;
        };
        /** @description A numa group: its nodes, their counters over time, when a node was busy. */
        Group: {
            /** @description When its nodes were busy. */
            busy: components["schemas"]["BusyInterval"][];
            /** @description Its cgroup's path, where samples tell. */
            cgroup: string | null;
            /** @description When it was switched off, ns. */
            disabled_ns: string | null;
            /** @description Each change of a busy node. */
            flips: components["schemas"]["Flip"][];
            /** @description From when on it is known, ns. */
            from_ns: string;
            /**
             * Format: int32
             * @description 0 when nobody joined.
             */
            gid: number;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description The nodes: attempts of the window, counters at its end. */
            nodes: components["schemas"]["GroupNode"][];
            /**
             * Format: uint32
             * @description Number of the group object: as printed, or counted by the replay.
             */
            number: number;
            /** @description Ascending, each from its moment on; thinned where there are very many, extremes kept. */
            series: components["schemas"]["GroupStep"][];
            /** @description Until when, ns. */
            to_ns: string;
        };
        /** @description A node in a group: attempts of the window, and its counters at the window's end. */
        GroupNode: {
            /**
             * Format: uint64
             * @description Attempts to reach it.
             */
            attempts: number;
            /**
             * Format: uint64
             * @description Failures as the kernel weighs them.
             */
            failure_scaled: number;
            /**
             * Format: uint64
             * @description Of these, those that failed.
             */
            failures: number;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Failures of attempts, percent.
             */
            ratio_percent: number;
            /**
             * Format: uint64
             * @description Attempts as the kernel weighs them.
             */
            total_scaled: number;
        };
        /** @description A node's counters from a moment on. */
        GroupStep: {
            /**
             * Format: int32
             * @description The group's busiest node; -1 for none.
             */
            busiest_nid: number;
            /**
             * Format: uint64
             * @description Failures as the kernel weighs them.
             */
            failure_scaled: number;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Failures of attempts, percent.
             */
            ratio_percent: number;
            /** @description From when on, ns. */
            t_ns: string;
            /**
             * Format: uint64
             * @description Attempts as the kernel weighs them.
             */
            total_scaled: number;
        };
        /** @description A group with a degree. */
        GroupWhatIf: {
            /** @description When nodes were busy. */
            busy: components["schemas"]["BusyInterval"][];
            /**
             * Format: uint64
             * @description How many of its points differ.
             */
            differing: number;
            /** @description Each flip. */
            flips: components["schemas"]["Flip"][];
            /**
             * Format: uint32
             * @description Number of the group.
             */
            group: number;
            /** @description The group's first point at which cling decides otherwise. */
            parts_ns: string | null;
            /**
             * Format: uint64
             * @description Of so many.
             */
            points: number;
        };
        /**
         * HandOver
         * @description Who is to own an analysis from now on.
         */
        HandOver: {
            /**
             * To
             * @description E-mail address or user name.
             * @example ann@numalens.example
             */
            to: string;
        };
        /** @description The waits of a column and a bucket. */
        HeatCell: {
            /**
             * Format: uint
             * @description Which bucket; see [`bucket_of`].
             */
            bucket: number;
            /**
             * Format: uint
             * @description Which column, from 0.
             */
            column: number;
            /**
             * Format: uint64
             * @description How many waits.
             */
            count: number;
        };
        /** @description The waits of one kind. */
        HeatWaits: {
            /** @description Where they are, by column and then by bucket; none without a wait. */
            cells: components["schemas"]["HeatCell"][];
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: uint64
             * @description The most in a cell.
             */
            most: number;
        };
        /** @description A section's content and the window that it is about. */
        IdleBalancingSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /**
             * Format: uint64
             * @description Ticks that the picks kept from kicking.
             */
            blocked_ticks: number;
            /** @description Null where kicks would not have been recorded. */
            comparison: components["schemas"]["KickComparison"] | null;
            /**
             * Format: uint
             * @description CPUs of the machine.
             */
            cpus: number;
            /** @description Kicks, passes, blocked ticks and stale `next_balance`, by time. */
            events: components["schemas"]["IlbEvent"][];
            /**
             * Format: uint
             * @description How many there are.
             */
            events_all: number;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /**
             * Format: uint32
             * @description Jiffies per second.
             */
            hz: number;
            /** @description The trace against the samples; null without samples. */
            idle_difference: components["schemas"]["IdleDifference"] | null;
            /** @description When CPUs were in the idle mask. Only pictures need it: a report of a long recording would be little else. */
            idle_mask: components["schemas"]["IdleLane"][];
            /** @description From the trace; null for less than a second. */
            idle_percent: components["schemas"]["IdleShare"] | null;
            /** @description From samples of /proc/stat, in the measure of `idle_difference`. */
            idle_sampled: components["schemas"]["IdleShare"] | null;
            /** @description From the same samples, as vmstat prints it. */
            idle_vmstat: components["schemas"]["IdleShare"] | null;
            /** @description Release of the traced kernel. */
            kernel: string | null;
            /** @description Kicks. */
            kicks: components["schemas"]["IlbKicks"];
            /** @description How well it is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description Gaps of lost events in the window.
             */
            lost_gaps: number;
            /** @description What the models allow to conclude. */
            may: string[];
            /** @description What they do not. */
            may_not: string[];
            /** @description What would make it better known. */
            missing: string[];
            /** @description The version that is shown. */
            model: components["schemas"]["IlbModelName"];
            /** @description The versions that would have run freely. */
            models: components["schemas"]["IlbModel"][];
            /** @description How each step of the balancer is known. */
            observation: components["schemas"]["IlbObservation"];
            /** @description Passes. */
            passes: components["schemas"]["IlbPasses"];
            /** @description Largest first. */
            stale_next_balance: components["schemas"]["StaleNextBalance"][];
            /** @description Times in the idle mask that are close to each other are joined. */
            thinned: boolean;
            /** @description Its end. */
            to_ns: string;
            /** @description What late kicks cost. */
            waste: components["schemas"]["IlbWaste"];
        };
        /** @description How the kernel counts idle time. */
        IdleCounting: "ticks" | "exact" | "dyntick";
        /** @description A CPU that was idle during the wait. */
        IdleCpu: {
            /** @description Whether the task may run there; `None` when nothing tells. */
            allowed: boolean | null;
            /**
             * Format: uint32
             * @description The CPU.
             */
            cpu: number;
            /**
             * Format: uint64
             * @description How long it was idle.
             */
            idle_ns: number;
            /**
             * Format: uint32
             * @description Its node.
             */
            nid: number | null;
            /** @description When. */
            pieces: components["schemas"]["IdleTime"][];
        };
        /** @description Idle time of the trace less that of the samples, in points, in the same windows and measure. */
        IdleDifference: {
            /** @description How the kernel counts idle time, and so how both sides do. */
            by: components["schemas"]["IdleCounting"];
            /**
             * Format: double
             * @description What the samples account for, percent of the time that passed.
             */
            counted_percent: number;
            /**
             * Format: double
             * @description The largest of a window.
             */
            largest: number;
            /**
             * Format: double
             * @description Mean.
             */
            mean: number;
            /** @description What the difference is of. */
            sentence: string;
            /** @description The trace's side. */
            traced: components["schemas"]["IdleShare"];
            /**
             * Format: uint
             * @description How many windows.
             */
            windows: number;
        };
        /** @description A CPU's times in the idle mask. */
        IdleLane: {
            /**
             * Format: uint32
             * @description The CPU.
             */
            cpu: number;
            /** @description From when and to when, ns. */
            spans: [
                string,
                string
            ][];
        };
        /** @description The idle CPUs of a node during the wait. */
        IdleNode: {
            /**
             * Format: uint64
             * @description How long at least one was idle.
             */
            any_ns: number;
            /**
             * Format: uint32
             * @description How many CPUs it has.
             */
            cpus: number;
            /**
             * Format: uint64
             * @description Idle time of all of them together.
             */
            idle_ns: number;
            /**
             * Format: uint32
             * @description The node; `None` for CPUs of which nobody knows it.
             */
            nid: number | null;
            /** @description Idle CPUs over time: `idle_ns` is that of all CPUs together. */
            pieces: components["schemas"]["IdleTime"][];
        };
        /** @description Idle time of one-second windows, in percent. */
        IdleShare: {
            /** @description How well it is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: double
             * @description Most, percent.
             */
            max: number;
            /**
             * Format: double
             * @description Mean, percent.
             */
            mean: number;
            /**
             * Format: double
             * @description Least, percent.
             */
            min: number;
            /**
             * Format: double
             * @description Standard deviation of the sample (n - 1), points.
             */
            stdev: number;
            /**
             * Format: uint
             * @description How many windows.
             */
            windows: number;
        };
        /** @description Time in which a CPU was idle. */
        IdleTime: {
            /**
             * Format: uint64
             * @description How many times it is.
             */
            count: number;
            /** @description From when. */
            from_ns: string;
            /**
             * Format: uint64
             * @description How long it was idle.
             */
            idle_ns: number;
            /** @description Until when. */
            to_ns: string;
        };
        /** @description A row. */
        IlbEvent: {
            /** @description When a kick came, ns. */
            arrived_ns: string | null;
            /**
             * Format: uint32
             * @description Where: who kicks, who balances, whose tick. `None` when nothing shows who sent a kick.
             */
            cpu: number | null;
            /** @description What became of a kick. */
            fate: components["schemas"]["KickFate"] | null;
            /**
             * Format: uint32
             * @description Of a kick or pass: its flags, where they are known.
             */
            flags: number | null;
            /** @description When its softirq was raised, ns; of a pass, when it ended. */
            handled_ns: string | null;
            /**
             * Format: uint64
             * @description Stale `next_balance`: how far it is off; a swallowed kick: since when the older one is under way. Jiffies.
             */
            jiffies: number | null;
            /** @description What. */
            kind: components["schemas"]["IlbEventKind"];
            /** @description How well it is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint32
             * @description Of a pass: tasks that it moved; `None` of a model.
             */
            migrations: number | null;
            /**
             * Format: uint64
             * @description Of a pass: CPUs that it balanced for.
             */
            served: number | null;
            /** @description When, ns of the reference clock. */
            t_ns: string;
            /**
             * Format: uint32
             * @description Who was kicked, or the pick that blocks.
             */
            target: number | null;
            /** @description Why; `None` when observed. */
            why: components["schemas"]["KickWhy"] | null;
        };
        /** @description What a row is. */
        IlbEventKind: "kick_sent" | "pass" | "pick_blocked" | "stale_next_balance";
        /** @description Kicks and what became of them; handled and dropped ones arrived on their target. */
        IlbKicks: {
            /**
             * Format: uint64
             * @description Ticks that the first and second pick kept from kicking; 2011 only.
             */
            blocked: number;
            /**
             * Format: uint64
             * @description They came, and no softirq was raised.
             */
            dropped: number;
            /**
             * Format: uint64
             * @description Their softirq balanced.
             */
            handled: number;
            /** @description How well it is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description They were swallowed, because an older one counted as under way.
             */
            latched: number;
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: uint64
             * @description They were not seen to come.
             */
            not_seen: number;
            /**
             * Format: uint64
             * @description Kicks.
             */
            sent: number;
            /**
             * Format: uint64
             * @description Those of which the sender is known.
             */
            with_sender: number;
        };
        /** @description What a version of the balancer would have done with the same ticks, idle times and run queues. */
        IlbModel: {
            /**
             * Format: uint64
             * @description Ticks that the picks kept from kicking.
             */
            blocked_ticks: number;
            /**
             * Format: uint64
             * @description Kicks that came and did nothing.
             */
            dropped: number;
            /**
             * Format: uint64
             * @description Ticks with waiting tasks before `next_balance`.
             */
            gate_closed_ticks: number;
            /**
             * Format: uint64
             * @description Interrupts that they cost.
             */
            ipis: number;
            /**
             * Format: uint64
             * @description Kicks.
             */
            kicks: number;
            /** @description How well it is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description Kicks that were swallowed.
             */
            latched: number;
            /** @description What would make it better known. */
            missing: string[];
            /** @description Which version. */
            name: components["schemas"]["IlbModelName"];
            /**
             * Format: uint64
             * @description Passes.
             */
            passes: number;
            /**
             * Format: uint64
             * @description How far `next_balance` was off at most.
             */
            stale_most_jiffies: number;
            /**
             * Format: double
             * @description Idle CPUs whose balance was overdue while tasks waited.
             */
            waste_cpu_ms: number;
        };
        /** @description A version of the idle load balancer. */
        IlbModelName: "2011" | "2011-patched" | "modern";
        /** @description How each step is known. */
        IlbObservation: {
            /** @description A CPU stops its tick and enters the idle mask. */
            idle_entry: components["schemas"]["ToldBy"];
            /** @description A kick comes. */
            kick: components["schemas"]["ToldBy"];
            /** @description A CPU balances for the others. */
            pass: components["schemas"]["ToldBy"];
            /** @description Ticks. */
            tick: components["schemas"]["ToldBy"];
        };
        /** @description Times that one CPU balanced for the others. */
        IlbPasses: {
            /**
             * Format: uint64
             * @description Passes that ended early.
             */
            aborted: number;
            /**
             * Format: uint64
             * @description Passes.
             */
            count: number;
            /**
             * Format: uint64
             * @description A kick asked for it.
             */
            kicked: number;
            /** @description How well it is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description Tasks that they moved; null of a model.
             */
            migrations: number | null;
        };
        /** @description Idle CPUs while tasks wait: an upper bound of what better kicks could have saved. */
        IlbWaste: {
            /**
             * Format: double
             * @description Of all idle CPUs.
             */
            beside_waiting_cpu_ms: number;
            /**
             * Format: double
             * @description Of idle CPUs whose balance was overdue.
             */
            cpu_ms: number;
            /** @description How well it is known. */
            label: components["schemas"]["Label"];
            /** @description The costliest, by time. */
            windows: components["schemas"]["WasteStretch"][];
        };
        /** @description Tasks on both nodes as they would be after a move. */
        Imbalance: {
            /**
             * Format: int64
             * @description Tasks that would be on the destination.
             */
            dst_running: number;
            /**
             * Format: int64
             * @description By how many the destination would have more; at least 0.
             */
            imbalance: number;
            /**
             * Format: int64
             * @description Tasks that would be left on the source.
             */
            src_running: number;
        };
        /** @description How unevenly the nodes were busy in one step. */
        ImbalanceStep: {
            /** @description Begin of the step. */
            from_ns: string;
            /**
             * Format: double
             * @description Sum of the squares of the nodes' shares in all busy time: 1 / nodes when even, 1 when all is on one node; `None` when
             *     nothing ran.
             */
            hhi: number | null;
            /**
             * Format: double
             * @description Busiest node less the least busy one, percent points.
             */
            max_min: number;
            /**
             * Format: double
             * @description Population standard deviation over the nodes, percent points.
             */
            stdev: number;
        };
        /**
         * Info
         * @description What this server is, and what the asker may do.
         */
        Info: {
            limits: components["schemas"]["Limits"];
            /**
             * Owner
             * @description True when the asker may upload, and delete and share what is theirs.
             */
            owner: boolean;
            /** @description Null for strangers, links, and where nobody signs in. */
            person: components["schemas"]["SignedInPerson"] | null;
            /**
             * Sign In
             * @description How people sign in: not at all, by `/sign-in/begin`, or at a proxy before this server.
             * @enum {string}
             */
            sign_in: "none" | "oidc" | "header";
            /** Version */
            version: string;
        };
        /**
         * InputFailure
         * @description Why an analysis failed, and where in which file.
         */
        InputFailure: {
            /**
             * Again
             * @description Nothing is wrong with the files: they can be read again when what the sentence names is mended.
             * @default false
             */
            again: boolean;
            /** Expected */
            expected?: string | null;
            /**
             * File
             * @description Name of the input that was refused.
             */
            file?: string | null;
            /** Offset */
            offset?: number | null;
            /** Sentence */
            sentence: string;
            /** Unit */
            unit?: ("byte" | "line") | null;
        };
        /** @description What the interval would have refused. */
        IntervalWhatIf: {
            /**
             * Format: uint64
             * @description First refusals of their tasks in the window: up to there the history is the real one.
             */
            first: number;
            /**
             * Format: uint64
             * @description The interval as used, s.
             */
            interval_s: number;
            /** @description How good the first ones are. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description Refusals in the window behind a task's first one.
             */
            later: number;
            /** @description What would make them better. */
            missing: string[];
            /**
             * Format: uint64
             * @description Moves between nodes in the window.
             */
            moves: number;
            /** @description The refused moves, first ones and later ones, by time. */
            refused: components["schemas"]["RefusedMove"][];
        };
        /**
         * Intervals
         * @description mmtests' rule of 2024: intervals of 95 % around the means do not overlap.
         */
        Intervals: {
            /**
             * Base
             * @description Half of the base's interval.
             */
            base: number;
            /**
             * Cidiff
             * @description Difference of the means in both halves together.
             */
            cidiff: number;
            /**
             * New
             * @description Half of this side's.
             */
            new: number;
            /** Significant */
            significant: boolean;
        };
        /** @description Pages that were migrated for a task that left soon after. */
        JustTooLate: {
            /**
             * Format: uint64
             * @description A: the task left sooner than this, ns.
             */
            amortisation_ns: number;
            /**
             * Format: uint64
             * @description Calls that migrated the late pages.
             */
            batches: number;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description Time these calls took, where their begin is recorded, ns.
             */
            migrate_ns: number;
            /**
             * Format: uint64
             * @description Pages migrated on fault in the window.
             */
            migrated_pages: number;
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: uint64
             * @description Of these, those that came too late.
             */
            pages: number;
            /**
             * Format: double
             * @description Their share; `None` when none were migrated.
             */
            share: number | null;
            /**
             * Format: uint64
             * @description Calls whose destination an event tells; that of the others is the node of the CPU.
             */
            told_batches: number;
            /**
             * Format: uint64
             * @description Pages whose task has not left when the recording ends, too soon to tell.
             */
            undecided_pages: number;
            /**
             * Format: uint64
             * @description Calls of which the begin is not recorded.
             */
            untimed_batches: number;
        };
        /** @description Version of a kernel: the rules of pressure depend on it. */
        KernelVersion: {
            /**
             * Format: uint16
             * @description First number of the release.
             */
            major: number;
            /**
             * Format: uint16
             * @description Second number of the release.
             */
            minor: number;
        };
        /** @description Recorded kicks against the modern model's; the reasons' counts add up to both totals. */
        KickComparison: {
            /**
             * Format: uint64
             * @description Kicks on both sides.
             */
            both: number;
            /**
             * Format: uint64
             * @description Kicks of the model.
             */
            model: number;
            /**
             * Format: uint64
             * @description Kicks recorded.
             */
            observed: number;
            /** @description By reason. */
            reasons: components["schemas"]["KickReason"][];
            /**
             * Format: uint64
             * @description Of the kicks on both sides whose flags are known, those with the same ones.
             */
            same_flags: number;
            /**
             * Format: uint64
             * @description Kicks on both sides whose flags are known.
             */
            told_flags: number;
        };
        /** @description What became of a kick. */
        KickFate: "handled" | "dropped" | "latched" | "aborted" | "not_seen";
        /** @description Why kicks are only on one side. */
        KickReason: {
            /**
             * Format: uint64
             * @description Kicks on both sides.
             */
            both: number;
            /**
             * Format: uint64
             * @description Kicks of the model that are not recorded.
             */
            model_only: number;
            /**
             * Format: uint64
             * @description Kicks recorded and not of the model.
             */
            observed_only: number;
            /** @description A name; more may come. */
            reason: components["schemas"]["KickReasonName"];
            /** @description The row as a sentence. */
            sentence: string;
            /** @description The same in words. */
            words: string;
        };
        /** @description Why a kick is only on one side. */
        KickReasonName: "same" | "other_target" | "under_way" | "next_balance_unknown" | "blocked_load_unknown" | "next_kick" | "nobody_idle" | "tick_not_seen" | "nr_running_differs" | "missed_probe" | "gate_later" | "lost_events";
        /** @description Why. */
        KickWhy: "nr_running" | "first_pick" | "second_pick" | "any_cpu" | "hand_over" | "llc_busy" | "blocked_load" | "next_balance" | "stale_tick" | "not_idle" | "need_resched" | "flag_set" | "nobody_idle" | "pick_idle" | "pick_busy" | "too_early" | "enter_nohz" | "kicked";
        /** @description How a value came about (`docs/algorithms/common.md`, K4). */
        Label: "observed" | "replayed" | "inferred" | "what-if";
        /**
         * LatencyBins
         * @description Wake-up waits by length, all in the same bins.
         */
        LatencyBins: {
            /** Analyses */
            analyses: (components["schemas"]["ComparedHistogram"] | components["schemas"]["Unavailable"])[];
            /**
             * Edges Ns
             * @description Upper edges of all bins but the last; the first begins at 0.
             */
            edges_ns: number[];
        };
        /** @description A section's content and the window that it is about. */
        LatencySection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description By cgroup, in the same order, as many; none when cgroups are not known. */
            by_cgroup: components["schemas"]["CgroupWaits"][];
            /** @description By node, in the machine's order. */
            by_node: components["schemas"]["NodeWaits"][];
            /** @description By task, those that waited longest in sum first; at most as many as asked for. */
            by_task: components["schemas"]["TaskWaits"][];
            /** @description What the wake-ups' waits consisted of. */
            causes: components["schemas"]["CauseTime"][];
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /** @description What would make it better. */
            missing: string[];
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /** @description Waits that began with a preemption. */
            preempted: components["schemas"]["PreemptedWaits"];
            /**
             * Format: uint
             * @description How many tasks waited.
             */
            tasks: number;
            /** @description Its end. */
            to_ns: string;
            /** @description Waits without a request. */
            unrequested: components["schemas"]["UnrequestedWaits"];
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
            /**
             * Format: uint64
             * @description Wake-ups whose wait lies in the window.
             */
            wakeups: number;
            /** @description The longest, longest first; of those that are as long, the earliest first. */
            worst: components["schemas"]["Wait"][];
        };
        /** @description A law and the rows. */
        LawCheck: {
            /** @description What it says. */
            form: string;
            /**
             * Format: uint
             * @description Rows in which it holds to the letter.
             */
            holds: number;
            /** @description Which. */
            law: string;
            /**
             * Format: uint
             * @description Rows that were checked.
             */
            rows: number;
            /**
             * Format: uint
             * @description Rows that break it only by what reading the counters one after the other explains.
             */
            skewed: number;
            /**
             * Format: uint
             * @description Rows that break it. For C4 these are none: it is a law of caches without shared pages only.
             */
            violated: number;
            /** @description The first of them. */
            violations: components["schemas"]["LawViolation"][];
        };
        /** @description A row that breaks a law. */
        LawViolation: {
            /**
             * Format: uint64
             * @description By how much, pages or entries; positive.
             */
            by: number;
            /**
             * Format: uint
             * @description Its number, from 0.
             */
            row: number;
            /** @description Its time, ns; `None` where rows have none. */
            t_ns: string | null;
            /** @description What is wrong, with the counters' short names. */
            what: string;
        };
        /** @description Shared references that stay. */
        Leak: {
            /**
             * Format: int64
             * @description X then: positive for references that stay, negative for references freed too often.
             */
            entries: number;
            /** @description When the cache came to rest, or when the row was read that has too few references; ns. */
            from_ns: string | null;
            /** @description When that was seen, ns. */
            to_ns: string | null;
        };
        /**
         * Limits
         * @description The caps that this server keeps to.
         */
        Limits: {
            /**
             * Keep Days
             * @description Days after which analyses that are not kept are deleted; null: never.
             */
            keep_days: number | null;
            /** Max Files */
            max_files: number;
            /**
             * Max Lanes
             * @description Most lanes of one timeline query.
             */
            max_lanes: number;
            /**
             * Max Px
             * @description Most pixel columns of one timeline query.
             */
            max_px: number;
            /** Max Upload Bytes */
            max_upload_bytes: number;
            /** Upload Days */
            upload_days: number;
        };
        /**
         * ListedReport
         * @description A report without its words.
         */
        ListedReport: {
            /**
             * Changed At
             * Format: date-time
             */
            changed_at: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Id
             * @example r4gkx3vhw2d6ymbt
             */
            id: string;
            /**
             * Revision
             * @description Number of the revision that readers see.
             * @example 3
             */
            revision: number;
            /** Title */
            title: string;
        };
        /**
         * ListedRevision
         * @description A report as it was saved once, without its words.
         */
        ListedRevision: {
            /**
             * Aside
             * @description Saved when its base was no longer the present revision; readers never saw it.
             */
            aside: boolean;
            /**
             * Length
             * @description Characters of the text.
             */
            length: number;
            /** Number */
            number: number;
            /**
             * Saved At
             * Format: date-time
             */
            saved_at: string;
            /** Title */
            title: string;
        };
        /** @description How local memory was. */
        Locality: {
            /** @description The same between two samples. */
            fault_pieces: components["schemas"]["LocalityPiece"][];
            /**
             * Format: double
             * @description `numa_hint_faults_local / numa_hint_faults` over the samples of the window; `None` without faults or samples.
             */
            faults: number | null;
            /** @description How good these are. */
            faults_quality: components["schemas"]["Quality"];
            /**
             * Format: double
             * @description Share of pages on the node where their process ran, over all processes, by time.
             */
            pages: number | null;
            /** @description How good these are. */
            pages_quality: components["schemas"]["Quality"];
            /** @description By process. */
            processes: components["schemas"]["ProcessLocality"][];
        };
        /** @description A share over some time. */
        LocalityPiece: {
            /** @description Begin, ns. */
            from_ns: string;
            /**
             * Format: double
             * @description The local share; `None` when there was nothing to tell it by.
             */
            share: number | null;
            /** @description End, ns. */
            to_ns: string;
        };
        /** @description Stall that was lost to reads in quick succession, µs. */
        LostStall: {
            /**
             * Format: uint64
             * @description Of `cpu` `some`.
             */
            cpu: number;
            /**
             * Format: uint64
             * @description Of `io` `some`.
             */
            io: number;
            /**
             * Format: uint64
             * @description Of `memory` `some`.
             */
            memory: number;
        };
        /** @description Whether a task may move to a free CPU of the destination. */
        Maymove: "allowed" | "denied" | "load_test" | "unknown";
        /**
         * Member
         * @description Somebody who owns an analysis or may read it.
         */
        Member: {
            /**
             * Download
             * @description What a reader may do besides looking and writing notes.
             */
            download: boolean;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /**
             * Role
             * @enum {string}
             */
            role: "owner" | "reader";
            /**
             * Since
             * Format: date-time
             */
            since: string;
            /**
             * You
             * @description The asker.
             */
            you: boolean;
        };
        /**
         * MemberList
         * @description Owners, then readers, in the order in which they came.
         */
        MemberList: {
            /** Members */
            members: components["schemas"]["Member"][];
        };
        /** @description What told where a task's memory is. */
        MemoryEvidence: "faults" | "maps" | "preferred" | "balancer";
        /** @description Pages migrated on fault, to the node where the task runs. */
        MemoryFollowsCpu: {
            /**
             * Format: uint64
             * @description Calls.
             */
            batches: number;
            /**
             * Format: uint64
             * @description Pages that could not be migrated.
             */
            failed: number;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description By the node that they came to. */
            nodes: components["schemas"]["NodePages"][];
            /**
             * Format: uint64
             * @description Pages.
             */
            pages: number;
            /**
             * Format: double
             * @description Pages per second of the window.
             */
            per_s: number;
        };
        /** @description Whether memory followed the CPUs, or the CPUs the memory, in a window. */
        MigrationMetrics: {
            /** @description When it was settled. */
            convergence: components["schemas"]["Convergence"];
            /** @description Tasks that followed pages. */
            cpu_follows_memory: components["schemas"]["CpuFollowsMemory"];
            /** @description Time of the calls that migrate pages; observed where their begin is recorded. */
            durations: components["schemas"]["Durations"][];
            /** @description How long tasks stayed. */
            dwell: components["schemas"]["Dwell"];
            /** @description Both at once. */
            fight: components["schemas"]["Fight"];
            /** @description The window, ns of the reference clock. */
            from_ns: string;
            /** @description Pages that came too late. */
            just_too_late: components["schemas"]["JustTooLate"];
            /** @description How local memory was. */
            locality: components["schemas"]["Locality"];
            /** @description Pages that followed tasks. */
            memory_follows_cpu: components["schemas"]["MemoryFollowsCpu"];
            /** @description Moves of tasks between nodes. */
            moves: components["schemas"]["NodeMoves"];
            /** @description Over time. */
            series: components["schemas"]["MoveSeries"];
            /** @description Tasks. */
            tasks: components["schemas"]["MovedTasks"];
            /** @description Its end. */
            to_ns: string;
        };
        /** @description So many for a reason. */
        Miss: {
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /** @description The first, ns. */
            first_ns: string;
            /** @description Why. */
            reason: components["schemas"]["MissReason"];
        };
        /** @description Why something was missed, or is there though it was not printed. */
        MissReason: "lost" | "silent" | "not_seen" | "not_joined" | "other_group" | "wrong_target" | "unknown_target" | "wrong_verdict" | "unknown_verdict" | "late_accounting" | "timer_order" | "resampled" | "group_unknown" | "not_counted" | "other";
        /** @description Today's equivalents of the table of 2010 in a window. */
        Modern: {
            /**
             * @description `numa_hint_faults_local <= numa_hint_faults`, `numa_pages_migrated <= pgmigrate_success`, and pages migrated on
             *     fault by events and by the counter.
             */
            conserved: components["schemas"]["Conserved"][];
            /** @description Every statistic of 2010. */
            equivalents: components["schemas"]["Equivalent"][];
            /** @description The samples of `/proc/vmstat` that were compared: begin of the first and of the last, ns. */
            samples_ns: [
                string,
                string
            ] | null;
        };
        /** @description What happened in each step of the window. Rates are these counts by a step's length; the last step may be shorter. */
        MoveSeries: {
            /** @description Pages migrated for any reason. */
            all_pages: number[];
            /** @description Pages migrated on fault by the node that they came to, in the order of `memory_follows_cpu.nodes`. */
            by_node: number[][];
            /** @description Pages migrated on fault that came too late, in the step in which they came. */
            just_too_late: number[];
            /** @description Moves of tasks between nodes. */
            moves: number[];
            /** @description Pages migrated on fault. */
            pages: number[];
            /**
             * Format: uint64
             * @description Length of a step, ns.
             */
            step_ns: number;
        };
        /** @description A task that moved between nodes, or whose pages did. */
        MovedTask: {
            /** @description Time on each node, whether it ran or not, ns; together the window's length. */
            by_node: [
                number,
                number
            ][];
            /**
             * Format: uint64
             * @description Of these, those that came too late.
             */
            just_too_late_pages: number;
            /**
             * Format: uint64
             * @description Time it spent migrating them, ns.
             */
            migrate_ns: number;
            /**
             * Format: uint64
             * @description Moves between nodes.
             */
            moves: number;
            /**
             * Format: uint64
             * @description Pages migrated on fault for it.
             */
            pages: number;
            /**
             * Format: int32
             * @description The task.
             */
            pid: number;
            /**
             * Format: uint64
             * @description Time that it ran, ns, if that is known.
             */
            run_ns: number | null;
            /**
             * Format: uint64
             * @description Complete dwells under a second.
             */
            short_dwells: number;
            /**
             * Format: uint32
             * @description Its number; `None` of one that never changed its CPU.
             */
            task: number | null;
            /**
             * Format: int32
             * @description Its process, or itself where that is not known.
             */
            tgid: number;
        };
        /** @description Tasks, the worst first. */
        MovedTasks: {
            /**
             * Format: uint64
             * @description How many there are.
             */
            count: number;
            /** @description Those that moved most and those whose pages took most time. */
            rows: components["schemas"]["MovedTask"][];
        };
        /**
         * @description Why `task_numa_find_cpu` found no CPU on the node it was asked for, as far as task counts tell. The numbers stand in the
         *     [`Explanation`](super::Explanation) beside it.
         */
        NoCpu: "target_unknown" | "cpus_unknown" | "dst_overloaded" | "dst_full" | "imbalance_denied" | "no_idle_cpu" | "idle_cpu_not_taken" | "load";
        /**
         * Node
         * @description A NUMA node and its CPUs, ascending.
         */
        Node: {
            /** Cpus */
            cpus: number[];
            /** Nid */
            nid: number;
        };
        /** @description A node when an attempt began. */
        NodeAt: {
            /**
             * Format: uint32
             * @description Of these, those that were idle.
             */
            idle_cpus: number;
            /** @description How good that is: replayed where one type alone is possible. */
            label: components["schemas"]["Label"];
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /** @description What it was for the balancer; more than one where averages decide, none for kernels that do not classify. */
            node_type: components["schemas"]["NodeType"][];
            /**
             * Format: uint64
             * @description Runnable tasks of any class on its CPUs, those that run included.
             */
            nr_running: number;
            /**
             * Format: uint32
             * @description Of these, those of which nothing is known.
             */
            unknown_cpus: number;
            /**
             * Format: uint32
             * @description Its CPUs.
             */
            weight: number;
        };
        /** @description Moves of tasks between nodes, today's form of the 2010 statistic "tasks migrated". */
        NodeMoves: {
            /** @description By what the task was then. */
            by_how: [
                string,
                number
            ][];
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: double
             * @description Per second of the window.
             */
            per_s: number;
            /**
             * Format: uint64
             * @description Migrations from or to CPUs of which no node is known.
             */
            unplaced: number;
            /**
             * Format: uint64
             * @description Times that a task turned out to be on another node than its last event says.
             */
            unseen: number;
        };
        /** @description A node's share. */
        NodePages: {
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Pages that came to it.
             */
            pages: number;
            /**
             * Format: double
             * @description Per second of the window.
             */
            per_s: number;
        };
        /** @description `enum numa_type`. */
        NodeType: "has_spare" | "fully_busy" | "overloaded";
        /** @description The waits that ended on a node. */
        NodeWaits: {
            /** @description What they consisted of. */
            causes: components["schemas"]["CauseTime"][];
            /**
             * Format: uint64
             * @description Its wake-ups.
             */
            count: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Waits after a preemption, which are in none of the numbers above.
             */
            preempted: number;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            preempted_ns: number;
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
        };
        /**
         * Note
         * @description What somebody said.
         */
        Note: {
            /** Author */
            author: string;
            /**
             * By Owner
             * @description Written by an owner, not by a reader or somebody with a link.
             */
            by_owner: boolean;
            /** Changed At */
            changed_at: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /** Parent Id */
            parent_id: string | null;
            place: components["schemas"]["NotePlace"] | null;
            /**
             * Text
             * @description Empty: withdrawn by its author; what was answered stays.
             */
            text: string;
            /**
             * Vouched
             * @description The author was signed in under this name; else it is what somebody typed.
             */
            vouched: boolean;
            /**
             * Yours
             * @description The asker wrote it, signed in.
             */
            yours: boolean;
        };
        /**
         * NoteList
         * @description All notes of an analysis, oldest first.
         */
        NoteList: {
            /** Notes */
            notes: components["schemas"]["Note"][];
        };
        /**
         * NotePlace
         * @description What a note stands at: a stretch of time or a moment, a lane, a finding, or several of them.
         */
        NotePlace: {
            /**
             * Finding
             * @description Key of a finding, as links name it.
             */
            finding?: string | null;
            /** From Ns */
            from_ns?: string | null;
            /** Lane */
            lane?: string | null;
            /**
             * To Ns
             * @description The same as `from_ns` for a moment.
             */
            to_ns?: string | null;
        };
        /** @description A section's content and the window that it is about. */
        NumaBalancingSection: {
            /** @description The first of the window. */
            attempts: components["schemas"]["Attempt"][];
            /**
             * Format: uint
             * @description How many more there are.
             */
            attempts_more: number;
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description How much the recording has of each kind of event. */
            counts: components["schemas"]["NumaCounts"];
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description What became of them, counted. */
            ops: components["schemas"]["Ops"];
            /** @description How busy each node was in each step. */
            per_node: components["schemas"]["PerNode"];
            /** @description The traced kernel's rules for moves between nodes. */
            rules: components["schemas"]["BalancingRules"];
            /** @description The kernel's version is not known. */
            rules_assumed: boolean;
            /** @description Which kinds of events the recording has. */
            sources: components["schemas"]["NumaSources"];
            /** @description Its end. */
            to_ns: string;
        };
        /** @description How much was met. */
        NumaCounts: {
            /**
             * Format: uint64
             * @description Attempts.
             * @default 0
             */
            attempts: number;
            /**
             * Format: uint64
             * @description Events that were older than the one before them.
             * @default 0
             */
            backwards: number;
            /**
             * Format: uint64
             * @description Probes on the entry of `task_numa_migrate`.
             * @default 0
             */
            entries: number;
            /**
             * Format: uint64
             * @description Lines of the cling kernel, and probes that tell the same.
             * @default 0
             */
            lines: number;
            /**
             * Format: uint64
             * @description Gaps of lost events.
             * @default 0
             */
            lost: number;
            /**
             * Format: uint64
             * @description `mm_migrate_misplaced_pages`.
             * @default 0
             */
            misplaced: number;
            /**
             * Format: uint64
             * @description `sched_move_numa`.
             * @default 0
             */
            moves: number;
            /**
             * Format: uint64
             * @description Calls that migrated pages.
             * @default 0
             */
            page_batches: number;
            /**
             * Format: uint64
             * @description Probes on its return.
             * @default 0
             */
            returns: number;
            /**
             * Format: uint64
             * @description `sched_skip_vma_numa`.
             * @default 0
             */
            skipped_vmas: number;
            /**
             * Format: uint64
             * @description `sched_stick_numa`.
             * @default 0
             */
            sticks: number;
            /**
             * Format: uint64
             * @description `sched_swap_numa`.
             * @default 0
             */
            swaps: number;
            /**
             * Format: uint64
             * @description Of them, those whose beginning is known.
             * @default 0
             */
            timed_batches: number;
            /**
             * Format: uint64
             * @description Settings of a preferred node that both a line and a probe told.
             * @default 0
             */
            told_twice: number;
            /**
             * Format: uint64
             * @description Of them, those whose end is not known.
             * @default 0
             */
            unknown: number;
        };
        /** @description Which events a recording has. A kind that a recorder was told to record and that never came counts as one it has not. */
        NumaSources: {
            /**
             * @description Any line of the cling kernel.
             * @default false
             */
            cling_lines: boolean;
            /**
             * @description A probe on the entry of `task_numa_migrate`.
             * @default false
             */
            entry_probe: boolean;
            /**
             * @description That probe prints the preferred node.
             * @default false
             */
            entry_tells_node: boolean;
            /**
             * @description `mm_migrate_pages`.
             * @default false
             */
            migrate_pages: boolean;
            /**
             * @description `mm_migrate_pages_start`: batches have a beginning.
             * @default false
             */
            migrate_pages_start: boolean;
            /**
             * @description `mm_migrate_misplaced_pages`.
             * @default false
             */
            misplaced: boolean;
            /**
             * @description `sched_move_numa`.
             * @default false
             */
            moves: boolean;
            /**
             * @description A probe on its return.
             * @default false
             */
            return_probe: boolean;
            /**
             * @description Lines of the cling kernel in `sched_setnuma`.
             * @default false
             */
            setnuma_line: boolean;
            /**
             * @description A probe on `sched_setnuma`.
             * @default false
             */
            setnuma_probe: boolean;
            /**
             * @description `sched_skip_vma_numa`.
             * @default false
             */
            skip_vma: boolean;
            /**
             * @description The fields of `sched_stick_numa`; `None` when it never came.
             * @default null
             */
            stick: components["schemas"]["StickFormat"] | null;
            /**
             * @description `sched_swap_numa`.
             * @default false
             */
            swaps: boolean;
            /**
             * @description A probe on the callback of cling's timer.
             * @default false
             */
            timer_probe: boolean;
        };
        /**
         * OpenShare
         * @description The secret of a shared link.
         */
        OpenShare: {
            /** Token */
            token: string;
        };
        /**
         * OpenedShare
         * @description What a shared link opens.
         */
        OpenedShare: {
            /** Analysis Id */
            analysis_id: string;
            /** Expires At */
            expires_at: string | null;
            /** May */
            may: ("comment" | "download")[];
            /** View */
            view: string;
        };
        /** @description The table for a window. */
        Ops: {
            /**
             * Format: uint64
             * @description Attempts that began in the window.
             */
            attempts: number;
            /** @description Tasks that came to another node. */
            crossings: components["schemas"]["Crossings"];
            /** @description What failed, by why. */
            failures: components["schemas"]["OpsFailures"];
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /**
             * Format: uint64
             * @description Tasks that came to another CPU.
             */
            migrations: number;
            /** @description What would make it better. */
            missing: string[];
            /** @description mmtests' rows of the same window. */
            mmtests: components["schemas"]["OpsRows"];
            /**
             * Format: uint64
             * @description How often mmtests' monitor would have warned.
             */
            mmtests_warnings: number;
            /**
             * Format: uint64
             * @description Moves that were tried.
             */
            moves: number;
            /**
             * Format: uint64
             * @description Of them, those that did not fail.
             */
            moves_ok: number;
            /**
             * Format: uint64
             * @description Failures of a task that had failed in the window before.
             */
            retries: number;
            /** @description The same in mmtests' names, as its rows are meant. */
            rows: components["schemas"]["OpsRows"];
            /**
             * Format: uint64
             * @description Swaps that were tried.
             */
            swaps: number;
            /**
             * Format: uint64
             * @description Of `swaps`, those inside a node.
             */
            swaps_local: number;
            /**
             * Format: uint64
             * @description Of them, those that did not fail.
             */
            swaps_ok: number;
            /**
             * Format: uint64
             * @description Of `swaps`, those inside a numa group.
             */
            swaps_within_group: number;
            /**
             * Format: uint64
             * @description Of them, those whose end is not known.
             */
            unknown: number;
        };
        /** @description Why attempts failed. */
        OpsFailures: {
            /**
             * Format: uint64
             * @description The move was tried and failed.
             */
            move_failed: number;
            /**
             * Format: uint64
             * @description The move was refused before it was tried: affinity.
             */
            move_refused: number;
            /**
             * Format: uint64
             * @description No CPU was found.
             */
            no_cpu: number;
            /**
             * Format: uint64
             * @description The task's CPU is in no NUMA domain.
             */
            no_domain: number;
            /**
             * Format: uint64
             * @description The swap was tried, and a task had gone elsewhere meanwhile.
             */
            swap_raced: number;
            /**
             * Format: uint64
             * @description The swap was refused before it was tried.
             */
            swap_refused: number;
        };
        /** @description The table's rows; `None` is a counter that never counted: the monitor's table lacks the row. */
        OpsRows: {
            /**
             * Format: int64
             * @description Tasks that crossed nodes, less one for each move and two for each swap.
             */
            load_balance_cross_numa: number | null;
            /**
             * Format: int64
             * @description `sched_stick_numa` with a CPU and without a partner.
             */
            migrate_failed_move_to_idle: number | null;
            /**
             * Format: int64
             * @description `sched_stick_numa` without a CPU.
             */
            migrate_failed_no_cpu: number | null;
            /**
             * Format: int64
             * @description `sched_stick_numa` with a partner.
             */
            migrate_failed_swap_task_fail: number | null;
            /**
             * Format: int64
             * @description `sched_stick_numa` of a task that was stuck before.
             */
            task_migrate_retry: number | null;
            /**
             * Format: int64
             * @description The same as the retries.
             */
            task_migrate_retry_failed: number | null;
            /**
             * Format: int64
             * @description Counted only by an event that no kernel release has.
             */
            task_migrate_retry_success: number | null;
            /**
             * Format: int64
             * @description Every `sched_move_numa`: attempts, also failed ones.
             */
            task_migrated_idle_cpu: number | null;
            /**
             * Format: int64
             * @description Counted only by an event that no kernel release has.
             */
            task_migrated_idle_cpu_local_nid: number | null;
            /**
             * Format: int64
             * @description Every `sched_swap_numa`: attempts, also failed ones.
             */
            task_migrated_swapped: number | null;
            /**
             * Format: int64
             * @description Of them, those inside a node.
             */
            task_migrated_swapped_local_nid: number | null;
            /**
             * Format: int64
             * @description Of them, those inside a numa group.
             */
            task_migrated_swapped_within_group: number | null;
        };
        /** @description A value, or why there is none. */
        Or: components["schemas"]["PressureTotal"] | components["schemas"]["Unavailable"];
        /** @description A value, or why there is none. */
        Or2: {
            [key: string]: components["schemas"]["PressureTotals"];
        } | components["schemas"]["Unavailable"];
        /** @description Those that ran as well, and are too many to be named. */
        OtherTasks: {
            /**
             * Format: uint64
             * @description How long together.
             */
            ns: number;
            /**
             * Format: uint
             * @description How many tasks.
             */
            tasks: number;
        };
        /** @description A section's content and the window that it is about. */
        PageMigrationSection: {
            /**
             * Format: uint64
             * @description How long a task must stay for its pages to be worth the way, ns.
             */
            amortisation_ns: number | null;
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description Null without a recording. */
            metrics: components["schemas"]["MigrationMetrics"] | null;
            /** @description What tells today what the statistics told; null without a recording. */
            modern: components["schemas"]["Modern"] | null;
            /** @description Null unless the statistics of auto-migration were sampled. */
            table: components["schemas"]["AutomigTable"] | null;
            /** @description Its end. */
            to_ns: string;
            /** @description What a migration interval would have refused; null without a recording. */
            what_if: components["schemas"]["IntervalWhatIf"] | null;
        };
        /** @description The other task of a swap. */
        Partner: {
            /**
             * Format: int32
             * @description Its numa group; 0 for none.
             */
            ngid: number;
            /**
             * Format: int32
             * @description Its pid.
             */
            pid: number;
            /**
             * Format: int32
             * @description Its process.
             */
            tgid: number;
        };
        /** @description The table. */
        PerNode: {
            /** @description How uneven the nodes are in each step. */
            imbalance: components["schemas"]["ImbalanceStep"][];
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /** @description A row per node. */
            nodes: components["schemas"]["BusyNode"][];
            /** @description What it counts. */
            reading: components["schemas"]["PerNodeReading"];
            /**
             * Format: uint64
             * @description Length of a step, ns; the last one may be shorter.
             */
            step_ns: number;
            /** @description Begin of the first step, ns of the reference clock. */
            t0_ns: string;
        };
        /** @description What the cells count, as a share of the node's CPUs. */
        PerNodeReading: "busy" | "workload" | "load";
        /** @description The CPU time of a row. */
        PlacementGroup: {
            /** @description Its cgroup, where the kernel has groups of cgroups and they were read. */
            cgroup: string | null;
            /**
             * Format: uint
             * @description How many groups the row is of; 0 for tasks without one.
             */
            groups: number;
            /**
             * Format: uint64
             * @description Of it, from before an event told of the group.
             */
            inferred_ns: number;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /**
             * Format: int32
             * @description Id of the numa group; null for rows of no single group.
             */
            ngid: number | null;
            /** @description By node, in the machine's order. */
            nodes: components["schemas"]["PlacementNode"][];
            /**
             * Format: uint64
             * @description On all nodes, CPU-ns.
             */
            run_ns: number;
            /**
             * Format: uint
             * @description Tasks that ran.
             */
            tasks: number;
            /** @description Whose time or memory it is. */
            whose: components["schemas"]["PlacementOwner"];
        };
        /** @description The memory of a row's processes by their last reading. */
        PlacementMemory: {
            /** @description Its cgroup, where the kernel has groups of cgroups and they were read. */
            cgroup: string | null;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /**
             * Format: int32
             * @description Id of the numa group; null for rows of no single group.
             */
            ngid: number | null;
            /** @description By node, in the machine's order. */
            nodes: components["schemas"]["PlacementMemoryNode"][];
            /**
             * Format: uint
             * @description Processes that were sampled.
             */
            processes: number;
            /** @description Whose time or memory it is. */
            whose: components["schemas"]["PlacementOwner"];
        };
        /** @description Memory on a node. */
        PlacementMemoryNode: {
            /**
             * Format: uint64
             * @description Resident, KiB.
             */
            kb: number;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
        };
        /** @description CPU time on a node. */
        PlacementNode: {
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description In the whole window, CPU-ns.
             */
            run_ns: number;
            /** @description In each step, CPU-ns. */
            series: number[];
        };
        /** @description Whose time or memory a row is of. */
        PlacementOwner: "group" | "others" | "no_group" | "unknown";
        /** @description A section's content and the window that it is about. */
        PlacementSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /**
             * Format: uint64
             * @description All CPU time of tasks: what the rows add up to.
             */
            busy_ns: number;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description Groups by CPU time, then those that share a row, then tasks in none, then those of which nobody knows. */
            groups: components["schemas"]["PlacementGroup"][];
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description By group, in the order of `groups`; null when no memory was sampled. */
            memory: components["schemas"]["PlacementMemory"][] | null;
            /** @description What would tell of memory. */
            memory_missing: string[];
            /** @description What would make it better. */
            missing: string[];
            /**
             * Format: uint64
             * @description Length of a step, ns; the last one may be shorter.
             */
            step_ns: number;
            /** @description Its end. */
            to_ns: string;
        };
        /** @description A moment at which a node's being busy decides something. */
        Point: {
            /**
             * Format: int32
             * @description `busiest_nid`.
             */
            busiest_nid: number;
            /**
             * Format: int32
             * @description Where it was to go; -1 when unknown.
             */
            dnid: number;
            /**
             * Format: uint64
             * @description `FAILURE_SCALED`: failed attempts to reach the node.
             */
            f: number;
            /** @description What happened is what cling does with a busy node (`true`) or with one that is not; `None` when cling never does it. */
            fits_busy: boolean | null;
            /**
             * Format: uint32
             * @description Number of the group.
             */
            group: number;
            /** @description How the moment is known. */
            label: components["schemas"]["Label"];
            /**
             * Format: int32
             * @description The node that decides.
             */
            nid: number;
            /**
             * Format: int32
             * @description Whose decision.
             */
            pid: number;
            /**
             * Format: uint64
             * @description `FAILURE_RATIO`, percent; 0..=99.
             */
            q: number;
            /** @description Where in the kernel. */
            site: components["schemas"]["ClingSite"];
            /**
             * Format: int32
             * @description Where the task or the memory was; -1 when unknown.
             */
            snid: number;
            /**
             * Format: uint64
             * @description `TOTAL_SCALED`: all attempts to reach it.
             */
            t: number;
            /** @description When, ns. */
            t_ns: string;
        };
        /** @description Waits that began with a preemption. */
        PreemptedWaits: {
            /** @description What they consisted of. */
            causes: components["schemas"]["CauseTime"][];
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            wait_ns: number;
            /** @description The longest ones. */
            worst: components["schemas"]["Wait"][];
        };
        /** @description How well the kernel's averages follow from its totals. */
        PressureAverages: {
            /**
             * Format: uint
             * @description Of `updates`, those with but one possible percentage.
             */
            exact: number;
            /** @description Replayed when the moments of all updates are known. */
            label: components["schemas"]["Label"];
            /** @description What is not. */
            missing: string[];
            /**
             * Format: uint
             * @description Updates that could not be predicted: the first of each line, and those across a gap of the samples.
             */
            skipped: number;
            /**
             * Format: uint
             * @description Updates of a line (three averages each) that were predicted.
             */
            updates: number;
            /**
             * Format: double
             * @description The largest distance of a printed average from its prediction.
             */
            worst: number;
        };
        /** @description Clocks of the CPUs of a node, added up. */
        PressureNode: {
            /**
             * Format: uint64
             * @description CPU time with tasks runnable and none running, ns.
             */
            cpu_full_ns: number;
            /**
             * Format: uint64
             * @description CPU time with a task waiting for the CPU, ns.
             */
            cpu_some_ns: number;
            /**
             * Format: int32
             * @description The node; -1 when not known.
             */
            nid: number;
            /**
             * Format: uint64
             * @description CPU time with anything to do or to wait for, ns.
             */
            nonidle_ns: number;
            /**
             * Format: uint64
             * @description CPU time of which nobody knows, ns; in none of the others.
             */
            unknown_ns: number;
        };
        /** @description The machine's pressure for one resource at one moment. */
        PressurePoint: {
            /**
             * Format: double
             * @description None where the kernel has no such line.
             */
            full_avg10: number | null;
            /**
             * Format: double
             * @description See `full_avg10`.
             */
            full_avg300: number | null;
            /**
             * Format: double
             * @description See `full_avg10`.
             */
            full_avg60: number | null;
            /**
             * Format: uint64
             * @description See `some_total_us` and `full_avg10`.
             */
            full_total_us: number | null;
            /**
             * Format: double
             * @description As a percentage with two places, like the file.
             */
            some_avg10: number;
            /**
             * Format: double
             * @description See `some_avg10`.
             */
            some_avg300: number;
            /**
             * Format: double
             * @description See `some_avg10`.
             */
            some_avg60: number;
            /**
             * Format: uint64
             * @description µs since the window's start.
             */
            some_total_us: number;
            /** @description When, ns. */
            t_ns: string;
        };
        /** @description A resource's sampled and replayed growth between two samples. */
        PressureResidual: {
            /**
             * Format: uint64
             * @description What the loose check (`docs/algorithms/psi.md`, P10) allows: 2 % or two jiffies per aggregation, whichever is more, µs.
             */
            check_tolerance_us: number;
            /** @description `some` and `full` are within that. */
            check_within: boolean;
            /**
             * Format: double
             * @description By how much the replay is above (or below) what was printed, percent of that.
             */
            error_percent: number;
            /** @description The first sample's read, ns. */
            from_ns: string;
            /**
             * Format: double
             * @description The sampled growth as a share of the time, percent.
             */
            pressure_percent: number;
            /**
             * Format: uint64
             * @description The same as replayed.
             */
            replayed_full_us: number | null;
            /**
             * Format: uint64
             * @description The same as replayed.
             */
            replayed_some_us: number;
            /**
             * Format: uint64
             * @description Growth of `full` as printed, µs; none where the kernel has no such line.
             */
            sampled_full_us: number | null;
            /**
             * Format: uint64
             * @description Growth of `some` (of `full` where there is no `some`) as printed, µs.
             */
            sampled_some_us: number;
            /**
             * Format: uint
             * @description Samples in the window.
             */
            samples: number;
            /** @description The last sample's read, ns. */
            to_ns: string;
            /**
             * Format: double
             * @description How far it may be off.
             */
            tolerance_percent: number;
            /** @description It is not. */
            within: boolean;
        };
        /** @description Residuals by resource. */
        PressureResiduals: {
            /** @description Of `cpu`. */
            cpu: components["schemas"]["PressureResidual"] | null;
            /** @description Of `io`. */
            io: components["schemas"]["PressureResidual"] | null;
            /** @description Of `memory`. */
            memory: components["schemas"]["PressureResidual"] | null;
        };
        /** @description A section's content and the window that it is about. */
        PressureSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Averages predicted from the printed totals against those printed; none without samples. */
            averages: components["schemas"]["PressureAverages"] | null;
            /** @description The same for cgroups. */
            cgroup_residual: {
                [key: string]: components["schemas"]["PressureResiduals"];
            };
            /** @description The cgroups by path. */
            cgroups: components["schemas"]["Or2"];
            /** @description Begin of the window, ns. */
            from_ns: string;
            /**
             * Format: uint32
             * @description Jiffies per second.
             */
            hz: number;
            /** @description How that is known. */
            hz_source: components["schemas"]["EvidenceSource"];
            /** @description Stall that aggregations threw away because no CPU had been busy for a jiffy, µs: some of cpu, memory and io. */
            lost_us: components["schemas"]["LostStall"];
            /** @description The nodes. */
            nodes: components["schemas"]["PressureNode"][];
            /** @description The machine's totals against what was printed; none without samples. */
            residual: components["schemas"]["PressureResiduals"] | null;
            /** @description Family of the rules that were applied. */
            rules: string;
            /** @description Why these. */
            rules_source: components["schemas"]["EvidenceSource"];
            /** @description The machine over time. */
            series: components["schemas"]["PressureSeries"];
            /** @description The machine. */
            system: components["schemas"]["PressureTotals"];
            /** @description Its end. */
            to_ns: string;
            /** @description How the moments of aggregation by the worker are known. */
            worker_source: components["schemas"]["EvidenceSource"];
        };
        /** @description The machine's pressure over time. */
        PressureSeries: {
            /** @description Points of `cpu`. */
            cpu: components["schemas"]["PressurePoint"][];
            /** @description Points of `io`; none without evidence. */
            io: components["schemas"]["PressurePoint"][];
            /** @description How good the averages are: they lean on what was before the window. */
            label: components["schemas"]["Label"] | null;
            /** @description Points of `memory`; none without evidence. */
            memory: components["schemas"]["PressurePoint"][];
            /** @description What a better answer would need. */
            missing: string[];
        };
        /** @description A resource's replayed totals in the window. */
        PressureTotal: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /**
             * Format: uint64
             * @description µs in which all were; none where the kernel has no such line.
             */
            full_us: number | null;
            /** @description How good that is. */
            label: components["schemas"]["Label"];
            /** @description What a better answer would need. */
            missing: string[];
            /**
             * Format: uint64
             * @description µs in which some task was delayed; none where the resource has no such line.
             */
            some_us: number | null;
        };
        /** @description The resources of the machine or a cgroup. */
        PressureTotals: {
            /** @description Waiting for a CPU. */
            cpu: components["schemas"]["Or"];
            /** @description Waiting for I/O. */
            io: components["schemas"]["Or"];
            /** @description Interrupt time. */
            irq: components["schemas"]["Or"];
            /** @description Memory stalls. */
            memory: components["schemas"]["Or"];
        };
        /** @description When a process was settled. */
        ProcessConvergence: {
            /**
             * Format: uint64
             * @description When, ns after the window's begin; `None` when not in the window.
             */
            after_ns: number | null;
            /**
             * Format: int32
             * @description The process.
             */
            tgid: number;
        };
        /** @description Locality of one process, by its pages. */
        ProcessLocality: {
            /** @description The same between two samples. */
            pieces: components["schemas"]["LocalityPiece"][];
            /**
             * Format: double
             * @description Share of its pages on the node where it ran, by time.
             */
            share: number | null;
            /**
             * Format: int32
             * @description The process.
             */
            tgid: number;
        };
        /**
         * Progress
         * @description How far the current stage is; `total` is 0 while unknown.
         */
        Progress: {
            /** Done */
            done: number;
            /**
             * Sentence
             * @description What is waited for in the stage `away`.
             */
            sentence?: string | null;
            /**
             * Stage
             * @example storing
             * @example fetching
             * @example unpacking
             * @example converting
             * @example decoding
             * @example indexing
             * @example keeping
             */
            stage: string;
            /** Total */
            total: number;
        };
        /**
         * ProgressEvent
         * @description Data of the server-sent event `progress`.
         */
        ProgressEvent: {
            /** Done */
            done: number;
            /**
             * Sentence
             * @description What is waited for in the stage `away`.
             * @default null
             */
            sentence: string | null;
            /** Stage */
            stage: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "queued" | "parsing" | "ready" | "failed";
            /** Total */
            total: number;
        };
        /**
         * PutMember
         * @description Who is to own or read an analysis; they need not have signed in before.
         */
        PutMember: {
            /**
             * Download
             * @default false
             */
            download: boolean;
            /**
             * Name
             * @description E-mail address or user name.
             * @example ann@numalens.example
             */
            name: string;
            /**
             * Role
             * @default reader
             * @enum {string}
             */
            role: "owner" | "reader";
        };
        /** @description How good a value is. */
        Quality: {
            /** @description How it is known. */
            label: components["schemas"]["Label"];
            /** @description What would make it better known. */
            missing: string[];
        };
        /** @description How the replay of events came to what was read from the groups' files. */
        Readings: {
            /**
             * Format: uint
             * @description Taken over, for nothing was known before.
             */
            adopted: number;
            /**
             * Format: uint
             * @description Readings.
             */
            all: number;
            /**
             * Format: uint
             * @description As read.
             */
            exactly: number;
            /**
             * Format: uint
             * @description Not at all: the replay goes on from what was read.
             */
            not: number;
            /**
             * Format: uint
             * @description With attempts in another order than their events.
             */
            reordered: number;
            /**
             * Format: uint
             * @description With a timer at another moment.
             */
            timer_shifted: number;
        };
        /**
         * ReferenceClock
         * @description The clock of the analysis: all times are told on it.
         */
        ReferenceClock: {
            /** Clock */
            clock: string | null;
            /**
             * Input
             * @description Position of the input whose clock it is.
             */
            input: number;
        };
        /** @description A move that would have been refused. */
        RefusedMove: {
            /**
             * Format: uint64
             * @description Since its last move that would have been allowed, ns.
             */
            after_ns: number;
            /**
             * Format: uint32
             * @description From this node.
             */
            from_nid: number;
            /** @description Inferred for a task's first refusal, a what-if for all later ones: the task would have been elsewhere by then. */
            label: components["schemas"]["Label"];
            /**
             * Format: int32
             * @description Whose.
             */
            pid: number;
            /** @description When, ns of the reference clock. */
            t_ns: string;
            /**
             * Format: uint32
             * @description The task's number.
             */
            task: number;
            /**
             * Format: uint32
             * @description To this one.
             */
            to_nid: number;
        };
        /** @description Time that ran on nodes that do not hold most of the memory. */
        RemoteRun: {
            /** @description What would make it better known; where neither run times nor memory are known, `ns` is 0. */
            missing: string[];
            /**
             * Format: uint64
             * @description ns on CPUs.
             */
            ns: number;
        };
        /** @description The whole report. Times are ns of the trace's own clock. */
        Report: {
            /** @description NUMA cling. */
            cling: components["schemas"]["ReportCling"];
            /** @description Decoded events by name, of the whole files. */
            event_counts: {
                [key: string]: number;
            };
            /** @description What stands out, worst first. */
            findings: components["schemas"]["ReportOr6"];
            /** @description The nohz idle load balancer, without its idle mask. */
            idle_balancing: components["schemas"]["ReportIdleBalancingSection"] | components["schemas"]["ReportUnavailable"];
            /** @description The inputs, as the manifest has them. */
            inputs: {
                [key: string]: unknown;
            }[];
            /** @description How long tasks waited. */
            latency: components["schemas"]["ReportLatencySection"] | components["schemas"]["ReportUnavailable"];
            /** @description What the reader has to say. */
            notes: string[];
            /** @description Attempts of the NUMA balancer. */
            numa_balancing: components["schemas"]["ReportNumaBalancingSection"] | components["schemas"]["ReportUnavailable"];
            /** @description Memory that follows tasks. */
            page_migration: components["schemas"]["ReportPageMigrationSection"] | components["schemas"]["ReportUnavailable"];
            /** @description CPU time and memory by numa group and node. */
            placement: components["schemas"]["ReportPlacementSection"] | components["schemas"]["ReportUnavailable"];
            /** @description Pressure. */
            psi: components["schemas"]["ReportPressure"];
            /** @description Where tasks ran. */
            residency: components["schemas"]["ReportResidencySection"] | components["schemas"]["ReportUnavailable"];
            /** @description `numalens.report/2`. */
            schema: string;
            /** @description Nodes and CPUs. */
            topology: components["schemas"]["ReportTopology"];
            /** @description How busy nodes and CPUs were. */
            utilisation: components["schemas"]["ReportUtilisationSection"] | components["schemas"]["ReportUnavailable"];
            /** @description The counters of memory. */
            vmstat: components["schemas"]["ReportVmstatSection"] | components["schemas"]["ReportUnavailable"];
            /** @description How many waits were how long when. */
            wait_heat: components["schemas"]["ReportWaitHeatSection"] | components["schemas"]["ReportUnavailable"];
            /** @description Idle CPUs while tasks waited. */
            waste: components["schemas"]["ReportWasteSection"] | components["schemas"]["ReportUnavailable"];
            /** @description The window. */
            window_ns: number[];
        };
        /** @description How `task_numa_find_cpu` judges a move to a free CPU (`adjust_numa_imbalance` since 5.7). */
        ReportAllowance: "load_test" | "source_almost_idle" | "quarter_of_node" | "llc_quarter" | "llc_eighth";
        /** @description One thing to point out. */
        ReportAnnotation: {
            /**
             * @description It is a what-if that stands after the point where cling parts from what was recorded: no claim but "with these
             *     attempts".
             */
            after_parting: boolean;
            /** @description What decided. */
            by: components["schemas"]["ReportDecidedBy"];
            /**
             * Format: int32
             * @description Where it was to go; -1 for none.
             */
            dnid: number;
            /** @description The kernel's function. */
            function: string;
            /**
             * Format: uint32
             * @description Number of the group.
             */
            group: number;
            /** @description What. */
            kind: components["schemas"]["ReportAnnotationKind"];
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description How it ended. */
            outcome: components["schemas"]["ReportAnnotationOutcome"];
            /**
             * Format: int32
             * @description The task, if it is about one.
             */
            pid: number | null;
            /**
             * Format: int32
             * @description Where the task or the memory was; -1 for none.
             */
            snid: number;
            /**
             * Format: int64
             * @description When, ns.
             */
            t_ns: number;
        };
        /** @description What happened. */
        ReportAnnotationKind: "wake_affine" | "load_balance" | "swap" | "busy" | "no_longer_busy" | "pause_prefer" | "resettle" | "memory" | "parts";
        /** @description How it ended. */
        ReportAnnotationOutcome: "clings" | "released" | "busy" | "not_busy" | "paused" | "resettled" | "memory_leaves" | "memory_refused";
        /** @description Who ran on a wait's CPU during it. */
        ReportAntagonist: {
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint64
             * @description How long during the wait.
             */
            ns: number;
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: uint32
             * @description Row of the table of tasks.
             */
            task: number;
        };
        /** @description An attempt of the NUMA balancer to bring a task to its preferred node. */
        ReportAttempt: {
            /** @description The task's name. */
            comm: string;
            /**
             * Format: uint32
             * @description CPU of its first event.
             */
            cpu: number;
            /**
             * Format: int32
             * @description The CPU that was chosen; -1 for none.
             */
            dst_cpu: number;
            /**
             * Format: int32
             * @description Its node; -1 for none.
             */
            dst_nid: number;
            /**
             * Format: int64
             * @description Time of the event that told its end (the kernel accounts it then or later), ns; at least `start_ns`.
             */
            end_ns: number;
            /** @description What it met. */
            explanation: components["schemas"]["ReportExplanation"] | null;
            /** @description Null when not known. */
            failed: boolean | null;
            /**
             * Format: int32
             * @description Its numa group as printed: the founder's pid, 0 for none; -1 when no event printed it.
             */
            ngid: number;
            /** @description With whom it was to swap. */
            partner: components["schemas"]["ReportPartner"] | null;
            /** @description That of the other task of a swap. */
            partner_comm: string | null;
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: int32
             * @description What `task_numa_migrate` returned, where a probe tells.
             */
            ret: number | null;
            /**
             * Format: int32
             * @description Where it ran; -1 when unknown.
             */
            src_cpu: number;
            /**
             * Format: int32
             * @description Its node; -1 when unknown.
             */
            src_nid: number;
            /**
             * Format: int64
             * @description Time of its first event, ns of the reference clock; ascends from row to row.
             */
            start_ns: number;
            /** @description How that is known. */
            target_from: components["schemas"]["ReportAttemptTarget"];
            /**
             * Format: int32
             * @description The preferred node when it began; -1 when unknown.
             */
            target_nid: number;
            /**
             * Format: int32
             * @description Its process; 0 when unknown.
             */
            tgid: number;
            /** @description How it ended. */
            verdict: components["schemas"]["ReportAttemptVerdict"];
        };
        /** @description How the attempt's target node is known. */
        ReportAttemptTarget: "unknown" | "entry" | "two_nodes" | "setnuma" | "sample" | "destination" | "last_destination";
        /** @description How an attempt of `task_numa_migrate` ended. */
        ReportAttemptVerdict: "unknown" | "moved" | "swapped" | "no_cpu" | "move_failed" | "move_refused" | "swap_raced" | "swap_refused" | "no_domain";
        /**
         * @description The statistics of a kernel with migrate-on-fault and auto-migration (Linux 2.6.36-mmotm): counts since boot,
         *     in the order in which they are printed. Pages are base pages. The fields are named like the columns of the sample table.
         */
        ReportAutomigCounters: {
            /**
             * Format: uint64
             * @description AD, "pgs added" to the migration cache.
             */
            added: number;
            /**
             * Format: uint64
             * @description DU, "duplicates": further references to entries of the cache.
             */
            duplicates: number;
            /**
             * Format: uint64
             * @description FA, "pages failed": of these, those that could not be unmapped or migrated.
             */
            failed: number;
            /**
             * Format: uint64
             * @description LC, "pgs loc checked": found in the swap or migration cache by `do_swap_page`, not mapped, stable.
             */
            loc_checked: number;
            /**
             * Format: uint64
             * @description MG, "pages migrated": all migrations, also by `mbind`.
             */
            migrated: number;
            /**
             * Format: uint64
             * @description MP, "pages misplacd": of these, those that the memory policy in effect wants elsewhere.
             */
            misplaced: number;
            /**
             * Format: uint64
             * @description FR, "refs freed": references given back.
             */
            refs_freed: number;
            /**
             * Format: uint64
             * @description RM, "pgs removd" from it.
             */
            removed: number;
            /**
             * Format: uint64
             * @description SC, "pages scanned": looked at by these walks.
             */
            scanned: number;
            /**
             * Format: uint64
             * @description SE, "pages selected": anonymous pages that were to follow.
             */
            selected: number;
            /**
             * Format: uint64
             * @description TM, "tasks migrated": moves of tasks between nodes that made them walk their memory, and kicks.
             */
            tasks_migrated: number;
        };
        /** @description What a row added to the one before. */
        ReportAutomigDelta: {
            /**
             * Format: int64
             * @description Change of E.
             */
            cached: number;
            /** @description What was counted; `None` when a counter went back. */
            counted: components["schemas"]["ReportAutomigCounters"] | null;
            /**
             * Format: int64
             * @description Time of the row before, ns.
             */
            from_ns: number | null;
            /**
             * Format: double
             * @description `1 - dLC / dRM`, pages unmapped for nothing; `None` when nothing left the cache.
             */
            lazy_waste: number | null;
            /**
             * Format: int64
             * @description Change of Lr.
             */
            references: number;
            /**
             * Format: int64
             * @description Change of X.
             */
            shared: number;
            /**
             * Format: int64
             * @description Time of this row, ns.
             */
            to_ns: number | null;
        };
        /** @description Ratios of counters; `None` where the divisor is 0. */
        ReportAutomigRatios: {
            /**
             * Format: double
             * @description `LC / AD`: how many of the unmapped pages were touched. The table of 2006 has faults per unmapped page.
             */
            checked_per_added: number | null;
            /**
             * Format: double
             * @description `1 - LC / RM`: pages unmapped for nothing. A lower bound, for LC counts pages found in the swap cache as well.
             */
            lazy_waste: number | null;
            /**
             * Format: double
             * @description `MP / LC`: how many of the pages that were touched again lay on the wrong node.
             */
            misplaced_per_checked: number | null;
            /**
             * Format: double
             * @description `MP / SE`: how many of the pages that were to follow did.
             */
            misplaced_per_selected: number | null;
            /**
             * Format: double
             * @description `SC / SE`: pages looked at for one that was to follow.
             */
            scanned_per_selected: number | null;
            /**
             * Format: double
             * @description `SE / TM`: pages that were to follow one move of a task.
             */
            selected_per_task: number | null;
        };
        /** @description What follows from a row. */
        ReportAutomigRow: {
            /**
             * Format: int64
             * @description `MG - MP`.
             */
            beyond_misplaced: number;
            /**
             * Format: int64
             * @description E: entries in the migration cache, `AD - RM`.
             */
            cached: number;
            /** @description The row. */
            counters: components["schemas"]["ReportAutomigCounters"];
            /**
             * Format: int64
             * @description `SE - AD`.
             */
            never_cached: number;
            /**
             * Format: int64
             * @description Lr: references to them, `AD + DU - FR`.
             */
            references: number;
            /**
             * Format: int64
             * @description X: references beyond each entry's first, `Lr - E`; 0 when no cached page is shared.
             */
            shared: number;
            /**
             * Format: int64
             * @description Its time, ns.
             */
            t_ns: number | null;
        };
        /** @description The table, judged. */
        ReportAutomigTable: {
            /** @description What each row but the first added. */
            deltas: components["schemas"]["ReportAutomigDelta"][];
            /** @description How good the derived values are: replayed, or inferred where rows were read while they changed. */
            label: components["schemas"]["ReportLabel"];
            /** @description Every law. */
            laws: components["schemas"]["ReportLawCheck"][];
            /** @description Entries that seem to be lost. */
            leak: components["schemas"]["ReportLeak"] | null;
            /** @description What would make them better. */
            missing: string[];
            /** @description Ratios of the last row's counts since boot; `None` without rows. */
            ratios: components["schemas"]["ReportAutomigRatios"] | null;
            /** @description Every row and what follows from it. */
            rows: components["schemas"]["ReportAutomigRow"][];
            /** @description The same of what was counted between the first row and the last. */
            window: components["schemas"]["ReportAutomigRatios"] | null;
        };
        /** @description The rules of kernels from one version on. */
        ReportBalancingRules: {
            /** @description How moves to a free CPU are judged. */
            allowance: components["schemas"]["ReportAllowance"];
            /** @description How nodes are classified. */
            classifier: components["schemas"]["ReportClassifier"];
            /** @description The first version with them. */
            from: components["schemas"]["ReportKernelVersion"];
            /**
             * @description `is_core_idle` asks the CPU itself instead of its siblings, so any idle CPU passes for an idle core. Stable releases of
             *     5.10 and 5.14 were mended later on.
             */
            idle_core_bug: boolean;
            /** @description The first version with them, for people; what was before 5.7 goes by the last one before. */
            name: string;
            /** @description The search prefers tasks that go home, and ends early (the last patches of the series). */
            prefers_home: boolean;
            /**
             * Format: uint32
             * @description `imbalance_pct` of a NUMA domain by default, percent.
             */
            sd_imbalance_pct: number;
        };
        /** @description A stretch in which a node was busy for a group. */
        ReportBusyInterval: {
            /**
             * Format: int64
             * @description When it became busy, ns.
             */
            from_ns: number;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /**
             * Format: int64
             * @description When it was not any longer, ns; the end of what is known if it still was.
             */
            to_ns: number;
        };
        /** @description A node's row. */
        ReportBusyNode: {
            /**
             * Format: uint64
             * @description `AVR`: mean of the cells before they were rounded, rounded the same way.
             */
            average: number;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /** @description Its cells, whole percents, halves rounded up. */
            percent: number[];
        };
        /** @description Time that waits spent on a cause. */
        ReportCauseTime: {
            /** @description The cause. */
            cause: string;
            /**
             * Format: uint64
             * @description ns.
             */
            ns: number;
        };
        /** @description The waits of a cgroup's own tasks. */
        ReportCgroupWaits: {
            /** @description What they consisted of. */
            causes: components["schemas"]["ReportCauseTime"][];
            /** @description Its path. */
            cgroup: string;
            /**
             * Format: uint64
             * @description Its wake-ups.
             */
            count: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Waits after a preemption, which are in none of the numbers above.
             */
            preempted: number;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            preempted_ns: number;
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
        };
        /** @description How many of a kind were compared. */
        ReportChecked: {
            /**
             * Format: uint64
             * @description Lines that told a value for the first time: nothing to compare with.
             */
            adopted: number;
            /** @description The kind. */
            check: components["schemas"]["ReportClingCheck"];
            /**
             * Format: uint64
             * @description Compared.
             */
            compared: number;
            /**
             * Format: uint64
             * @description Of these, exactly as replayed.
             */
            exact: number;
            /**
             * Format: uint64
             * @description Of these, as replayed shortly before or after: such lines read without the group's lock.
             */
            near: number;
        };
        /** @description What the kernel printed, compared with the replay. */
        ReportCheckedLines: {
            /** @description How many lines of each kind were compared. */
            kinds: components["schemas"]["ReportChecked"][];
            /** @description The first of the window. */
            violations: components["schemas"]["ReportViolation"][];
            /**
             * Format: uint
             * @description Of the whole recording.
             */
            violations_all: number;
        };
        /** @description How `numa_classify` tells what a node is. */
        ReportClassifier: "none" | "util" | "util_and_runnable";
        /** @description NUMA cling, or why nothing is known of it and the degree all the same. */
        ReportCling: components["schemas"]["ReportKnownCling"] | {
            /**
             * @description Always false.
             * @constant
             */
            available: false;
            /**
             * Format: uint32
             * @description The degree that was asked for, else the kernel's own, percent.
             */
            degree: number;
            /** @description One sentence: which input is missing. */
            reason: string;
        };
        /** @description What did not come out as printed. */
        ReportClingCheck: "attempt" | "timer" | "timer_end" | "show" | "sample" | "decision" | "pause" | "memory" | "members" | "reset" | "invariant";
        /** @description A decision. */
        ReportClingDecision: {
            /**
             * Format: int32
             * @description The node where it was to go.
             */
            dst_nid: number;
            /** @description The kernel's function. */
            function: string;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: int32
             * @description Whose.
             */
            pid: number | null;
            /** @description The numbers that decided. */
            reason: string;
            /** @description Where in the kernel. */
            site: components["schemas"]["ReportDecisionSite"];
            /**
             * Format: int32
             * @description The node where the task was.
             */
            src_nid: number;
            /**
             * Format: int64
             * @description When, ns.
             */
            t_ns: number;
            /** @description What was decided. */
            verdict: components["schemas"]["ReportDecisionVerdict"];
        };
        /** @description What tells of cling. */
        ReportClingEvidence: "lines" | "readings" | "what_if";
        /** @description Where a decision was made. */
        ReportClingSite: "wake_affine" | "load_balance" | "swap" | "elect" | "retry" | "memory";
        /** @description Everything with a degree. */
        ReportClingWhatIf: {
            /**
             * Format: uint32
             * @description The degree.
             */
            degree: number;
            /**
             * Format: int64
             * @description See [`WhatIf::first_reset_ns`].
             */
            first_reset_ns: number | null;
            /** @description The groups. */
            groups: components["schemas"]["ReportGroupWhatIf"][];
            /** @description Always what-if. */
            label: components["schemas"]["ReportLabel"];
            /** @description What the replay lacked, each once. */
            missing: string[];
            /** @description The first point at which cling decides otherwise: claims end here, for all groups, since they share the CPUs. */
            parts: components["schemas"]["ReportPoint"] | null;
        };
        /** @description A law of today's numbers. */
        ReportConserved: {
            /** @description Whether it holds; `None` when a side is not known. */
            holds: boolean | null;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What it says. */
            law: string;
            /**
             * Format: uint64
             * @description The left side: the smaller one, or what events tell.
             */
            left: number | null;
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: int64
             * @description `right - left`.
             */
            residual: number | null;
            /**
             * Format: uint64
             * @description The right side: what the counter tells.
             */
            right: number | null;
            /** @description Which of both may be larger. */
            rule: components["schemas"]["ReportConservedRule"];
            /**
             * Format: uint64
             * @description What may be between them: calls of which nobody knows on which side of a sample they are, and one call more.
             */
            slack: number;
        };
        /** @description What a kernel's counter and its events have in common. */
        ReportConservedRule: "equal" | "at_least";
        /** @description When placement was settled. */
        ReportConvergence: {
            /**
             * Format: uint64
             * @description The whole machine, by hinting faults and all tasks: ns after the window's begin; `None` when not in the window.
             */
            after_ns: number | null;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description Processes of which the memory is known. */
            processes: components["schemas"]["ReportProcessConvergence"][];
        };
        /** @description Moves of tasks to the node that holds most of their memory. */
        ReportCpuFollowsMemory: {
            /** @description How many moves each kind of sample judged. */
            by: [
                components["schemas"]["ReportMemoryEvidence"],
                number
            ][];
            /**
             * Format: uint64
             * @description Those to the memory.
             */
            following: number;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: uint64
             * @description All moves between nodes in the window.
             */
            moves: number;
            /**
             * Format: double
             * @description `following / moves`; `None` when the memory of none is known.
             */
            share: number | null;
            /**
             * Format: uint64
             * @description Those of which nobody knows where the memory was.
             */
            unknown: number;
        };
        /** @description How tasks crossed nodes: `lb_cross` and the NUMA balancer's part add up to `total`. */
        ReportCrossings: {
            /**
             * Format: uint64
             * @description Of `lb_cross`, tasks that slept.
             */
            asleep: number;
            /**
             * Format: int64
             * @description `total`, less one for each move and two for each swap that succeeded across nodes: everything but the NUMA balancer.
             *     Below 0 when migrations are missing.
             */
            lb_cross: number;
            /**
             * Format: uint64
             * @description Of them, those that the NUMA balancer moved or swapped.
             */
            numa: number;
            /**
             * Format: uint64
             * @description Of `lb_cross`, tasks that were runnable or ran: the load balancer, a change of affinity, an exec.
             */
            runnable: number;
            /**
             * Format: uint64
             * @description Tasks that came to a CPU of another node (`sched_migrate_task`).
             */
            total: number;
            /**
             * Format: int64
             * @description What of `lb_cross` no migration explains: below 0 for moves and swaps that succeeded and whose migrations were not seen,
             *     above 0 for migrations whose attempt began before the window.
             */
            unexplained: number;
            /**
             * Format: uint64
             * @description Of `lb_cross`, tasks of which nobody knows what they did then.
             */
            unknown: number;
            /**
             * Format: uint64
             * @description Of `lb_cross`, tasks that a wake-up placed.
             */
            wakeup: number;
        };
        /** @description The numbers that decided. */
        ReportDecidedBy: {
            /**
             * Format: int32
             * @description `busiest_nid`.
             */
            busiest_nid: number;
            /**
             * Format: uint32
             * @description `kernel.numa_balancing_cling_degree`.
             */
            degree: number;
            /**
             * Format: uint64
             * @description `FAILURE_SCALED`: failed attempts to reach the node.
             */
            f: number;
            /**
             * Format: int32
             * @description The node that they are of.
             */
            nid: number;
            /**
             * Format: uint64
             * @description `FAILURE_RATIO`, percent; 0..=99.
             */
            q: number;
            /**
             * Format: uint64
             * @description `TOTAL_SCALED`: all attempts to reach it.
             */
            t: number;
        };
        /** @description Where the kernel decides. */
        ReportDecisionSite: "wake_affine" | "load_balance" | "numa_swap";
        /** @description What was decided. */
        ReportDecisionVerdict: "cling" | "allow";
        /** @description The depth of runqueues: tasks that are runnable and not on a CPU. */
        ReportDepth: {
            /** @description By node. */
            nodes: components["schemas"]["ReportDepthNode"][];
            /**
             * Format: uint64
             * @description Length of a step, ns; the last one may be shorter.
             */
            step_ns: number;
        };
        /** @description Tasks that wait on a node's CPUs, over time. */
        ReportDepthNode: {
            /** @description Most that ever waited for more than an instant in each step. */
            max: number[];
            /** @description Mean over each step's time. */
            mean: number[];
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
        };
        /** @description How long calls that migrate pages took, by reason. */
        ReportDurations: {
            /**
             * Format: uint64
             * @description Calls that ended in the window.
             */
            batches: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description Pages that could not be.
             */
            failed: number;
            /**
             * Format: uint64
             * @description The longest.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half took at most this long, ns.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % did.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Base pages migrated.
             */
            pages: number;
            /** @description The reason's name; empty when nothing tells. */
            reason: string;
            /**
             * Format: uint64
             * @description Time in all, ns.
             */
            sum_ns: number;
            /**
             * Format: uint64
             * @description Of these, those whose begin is recorded: the times are theirs.
             */
            timed: number;
        };
        /**
         * @description How long tasks stayed on a node: the time between two moves to other nodes. What lies before a task's first such move
         *     and after its last is no complete dwell.
         */
        ReportDwell: {
            /**
             * Format: uint64
             * @description Complete dwells that end in the window.
             */
            count: number;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description The longest.
             */
            max_ns: number | null;
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: uint64
             * @description Half of them are at most this long, ns.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /** @description Those under a second. */
            short: components["schemas"]["ReportShorter"];
            /** @description Time on the wrong node in dwells under a second. */
            short_remote: components["schemas"]["ReportRemoteRun"];
            /**
             * Format: uint64
             * @description The sum of all, ns.
             */
            sum_ns: number;
            /** @description Those that a migration interval of 5, 30 and 300 s would not have allowed. */
            violations: components["schemas"]["ReportShorter"][];
        };
        /** @description Today's source of a statistic. */
        ReportEquivalent: {
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description What it was called. */
            name: string;
            /** @description What is different. */
            note: string;
            /** @description What tells it, or something like it; `None` where nothing does. */
            source: string | null;
            /** @description The statistic's short name. */
            statistic: string;
            /**
             * Format: uint64
             * @description How much in the window: for counters of `/proc/vmstat` between its first and last sample.
             */
            value: number | null;
        };
        /** @description Where a kind of fact comes from. */
        ReportEvidenceSource: {
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /** @description What a better answer would need; empty unless inferred. */
            missing: string[];
            /** @description Name of the event, file or rule. */
            name: string;
        };
        /** @description What an attempt met when it began. */
        ReportExplanation: {
            /** @description What each version's rules say of it; empty without `imbalance`. */
            answers: components["schemas"]["ReportRulesAnswer"][];
            /**
             * Format: uint
             * @description Which of the attempts that were handed in.
             */
            attempt: number;
            /**
             * Format: int32
             * @description The node that is explained: the one of the CPU that was chosen, else the preferred one; -1 when neither is known.
             */
            dst_nid: number;
            /**
             * Format: uint64
             * @description Of a move into a node that would run at least 3 tasks more than the source: time that tasks waited on the destination
             *     in the next 100 ms beyond what those that waited before would have, task-ns.
             */
            extra_wait_ns: number | null;
            /** @description The numbers of a move between the two; `None` unless both are known and differ. */
            imbalance: components["schemas"]["ReportImbalance"] | null;
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better. */
            missing: string[];
            /** @description Why it found no CPU; only for those that did not. */
            no_cpu: components["schemas"]["ReportNoCpu"] | null;
            /** @description All nodes, in the machine's order. */
            nodes: components["schemas"]["ReportNodeAt"][];
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: int32
             * @description From which node; -1 when not known.
             */
            src_nid: number;
            /**
             * Format: int64
             * @description When it began, ns of the reference clock.
             */
            start_ns: number;
        };
        /**
         * @description Windows of 10 s in which a process has both: tasks moved from one node to another where the memory is, and pages moved
         *     the other way.
         */
        ReportFight: {
            /**
             * Format: double
             * @description The same if every move of unknown memory went to it.
             */
            at_most: number | null;
            /**
             * Format: uint64
             * @description Those in which some process fights itself.
             */
            fighting: number;
            /**
             * Format: double
             * @description `fighting / windows`; `None` without windows, or when nothing tells where any memory was.
             */
            index: number | null;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description The worst processes, by `at_most`'s rule where nothing tells of memory. */
            processes: components["schemas"]["ReportFighter"][];
            /**
             * Format: uint64
             * @description Windows, from the begin of what was asked for; the last may be shorter.
             */
            windows: number;
        };
        /** @description A process whose tasks go to the memory while its memory goes to the tasks. */
        ReportFighter: {
            /**
             * Format: uint64
             * @description Windows in which it moved at all, tasks or pages.
             */
            active: number;
            /**
             * Format: uint64
             * @description Moves of its tasks in them.
             */
            moves: number;
            /**
             * Format: uint64
             * @description Pages that went against its tasks, in these windows, between the same two nodes.
             */
            pages: number;
            /** @description Time that it ran off its memory in them. */
            remote: components["schemas"]["ReportRemoteRun"];
            /**
             * Format: int32
             * @description The process.
             */
            tgid: number;
            /**
             * Format: uint64
             * @description Windows in which it fought.
             */
            windows: number;
        };
        /** @description One finding. */
        ReportFinding: {
            /** @description The cgroup it concerns. */
            cgroup: string | null;
            /**
             * Format: int64
             * @description Where it begins, ns of the reference clock.
             */
            from_ns: number;
            /** @description Name of the detector. */
            id: string;
            /**
             * Format: double
             * @description What it cost, ms; at most the window times its CPUs.
             */
            impact_ms: number;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description Nodes it concerns, if only some. */
            nodes: number[];
            /** @description Tasks it concerns, the worst first. */
            pids: number[];
            /** @description How bad it is. */
            severity: components["schemas"]["ReportSeverity"];
            /** @description What happened, to whom, where, when, what it cost: one sentence. */
            summary: string;
            /**
             * Format: int64
             * @description Where it ends, ns.
             */
            to_ns: number;
        };
        /** @description A node became busy for a group, or stopped being it. */
        ReportFlip: {
            /**
             * Format: int32
             * @description `busiest_nid` from then on.
             */
            busiest_nid: number;
            /** @description Whether it is busy from then on. */
            busy: boolean;
            /**
             * Format: uint32
             * @description The degree then.
             */
            degree: number;
            /**
             * Format: uint64
             * @description `FAILURE_SCALED`: failed attempts to reach the node.
             */
            f: number;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description `FAILURE_RATIO`, percent; 0..=99.
             */
            q: number;
            /**
             * Format: uint64
             * @description `TOTAL_SCALED`: all attempts to reach it.
             */
            t: number;
            /**
             * Format: int64
             * @description When, ns.
             */
            t_ns: number;
        };
        /** @description What was reproduced. */
        ReportFromEvents: {
            /** @description Attempts: task, group, node, verdict. */
            attempts: components["schemas"]["ReportReproduced"];
            /** @description F, T, Q and "is the busiest" of a node, each time that one of them changed. */
            counters: components["schemas"]["ReportReproduced"];
            /** @description Flips of busy nodes. */
            flips: components["schemas"]["ReportReproduced"];
            /**
             * Format: uint64
             * @description Attempts that were rightly not counted.
             */
            rightly_not_counted: number;
        };
        /** @description A numa group without its series. */
        ReportGroup: {
            /** @description When its nodes were busy. */
            busy: components["schemas"]["ReportBusyInterval"][];
            /** @description Its cgroup's path. */
            cgroup: string | null;
            /**
             * Format: int64
             * @description When it was switched off, ns.
             */
            disabled_ns: number | null;
            /**
             * Format: int64
             * @description From when on it is known, ns.
             */
            from_ns: number;
            /**
             * Format: int32
             * @description 0 when nobody joined.
             */
            gid: number;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description The nodes. */
            nodes: components["schemas"]["ReportGroupNode"][];
            /**
             * Format: uint32
             * @description Number of the group object.
             */
            number: number;
            /**
             * Format: int64
             * @description Until when, ns.
             */
            to_ns: number;
        };
        /** @description A node in a group: attempts of the window, and its counters at the window's end. */
        ReportGroupNode: {
            /**
             * Format: uint64
             * @description Attempts to reach it.
             */
            attempts: number;
            /**
             * Format: uint64
             * @description Failures as the kernel weighs them.
             */
            failure_scaled: number;
            /**
             * Format: uint64
             * @description Of these, those that failed.
             */
            failures: number;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Failures of attempts, percent.
             */
            ratio_percent: number;
            /**
             * Format: uint64
             * @description Attempts as the kernel weighs them.
             */
            total_scaled: number;
        };
        /** @description A group with a degree. */
        ReportGroupWhatIf: {
            /** @description When nodes were busy. */
            busy: components["schemas"]["ReportBusyInterval"][];
            /**
             * Format: uint64
             * @description How many of its points differ.
             */
            differing: number;
            /** @description Each flip. */
            flips: components["schemas"]["ReportFlip"][];
            /**
             * Format: uint32
             * @description Number of the group.
             */
            group: number;
            /**
             * Format: int64
             * @description The group's first point at which cling decides otherwise.
             */
            parts_ns: number | null;
            /**
             * Format: uint64
             * @description Of so many.
             */
            points: number;
        };
        /** @description The waits of a column and a bucket. */
        ReportHeatCell: {
            /**
             * Format: uint
             * @description Which bucket; see [`bucket_of`].
             */
            bucket: number;
            /**
             * Format: uint
             * @description Which column, from 0.
             */
            column: number;
            /**
             * Format: uint64
             * @description How many waits.
             */
            count: number;
        };
        /** @description The waits of one kind. */
        ReportHeatWaits: {
            /** @description Where they are, by column and then by bucket; none without a wait. */
            cells: components["schemas"]["ReportHeatCell"][];
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: uint64
             * @description The most in a cell.
             */
            most: number;
        };
        /** @description A section's content and the window that it is about. */
        ReportIdleBalancingSection: {
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /**
             * Format: uint64
             * @description Ticks that the picks kept from kicking.
             */
            blocked_ticks: number;
            /** @description Null where kicks would not have been recorded. */
            comparison: components["schemas"]["ReportKickComparison"] | null;
            /**
             * Format: uint
             * @description CPUs of the machine.
             */
            cpus: number;
            /** @description Kicks, passes, blocked ticks and stale `next_balance`, by time. */
            events: components["schemas"]["ReportIlbEvent"][];
            /**
             * Format: uint
             * @description How many there are.
             */
            events_all: number;
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /**
             * Format: uint32
             * @description Jiffies per second.
             */
            hz: number;
            /** @description The trace against the samples; null without samples. */
            idle_difference: components["schemas"]["ReportIdleDifference"] | null;
            /** @description From the trace; null for less than a second. */
            idle_percent: components["schemas"]["ReportIdleShare"] | null;
            /** @description From samples of /proc/stat, in the measure of `idle_difference`. */
            idle_sampled: components["schemas"]["ReportIdleShare"] | null;
            /** @description From the same samples, as vmstat prints it. */
            idle_vmstat: components["schemas"]["ReportIdleShare"] | null;
            /** @description Release of the traced kernel. */
            kernel: string | null;
            /** @description Kicks. */
            kicks: components["schemas"]["ReportIlbKicks"];
            /** @description How well it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description Gaps of lost events in the window.
             */
            lost_gaps: number;
            /** @description What the models allow to conclude. */
            may: string[];
            /** @description What they do not. */
            may_not: string[];
            /** @description What would make it better known. */
            missing: string[];
            /** @description The version that is shown. */
            model: components["schemas"]["ReportIlbModelName"];
            /** @description The versions that would have run freely. */
            models: components["schemas"]["ReportIlbModel"][];
            /** @description How each step of the balancer is known. */
            observation: components["schemas"]["ReportIlbObservation"];
            /** @description Passes. */
            passes: components["schemas"]["ReportIlbPasses"];
            /** @description Largest first. */
            stale_next_balance: components["schemas"]["ReportStaleNextBalance"][];
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
            /** @description What late kicks cost. */
            waste: components["schemas"]["ReportIlbWaste"];
        };
        /** @description How the kernel counts idle time. */
        ReportIdleCounting: "ticks" | "exact" | "dyntick";
        /** @description Idle time of the trace less that of the samples, in points, in the same windows and measure. */
        ReportIdleDifference: {
            /** @description How the kernel counts idle time, and so how both sides do. */
            by: components["schemas"]["ReportIdleCounting"];
            /**
             * Format: double
             * @description What the samples account for, percent of the time that passed.
             */
            counted_percent: number;
            /**
             * Format: double
             * @description The largest of a window.
             */
            largest: number;
            /**
             * Format: double
             * @description Mean.
             */
            mean: number;
            /** @description What the difference is of. */
            sentence: string;
            /** @description The trace's side. */
            traced: components["schemas"]["ReportIdleShare"];
            /**
             * Format: uint
             * @description How many windows.
             */
            windows: number;
        };
        /** @description Idle time of one-second windows, in percent. */
        ReportIdleShare: {
            /** @description How well it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: double
             * @description Most, percent.
             */
            max: number;
            /**
             * Format: double
             * @description Mean, percent.
             */
            mean: number;
            /**
             * Format: double
             * @description Least, percent.
             */
            min: number;
            /**
             * Format: double
             * @description Standard deviation of the sample (n - 1), points.
             */
            stdev: number;
            /**
             * Format: uint
             * @description How many windows.
             */
            windows: number;
        };
        /** @description A row. */
        ReportIlbEvent: {
            /**
             * Format: int64
             * @description When a kick came, ns.
             */
            arrived_ns: number | null;
            /**
             * Format: uint32
             * @description Where: who kicks, who balances, whose tick. `None` when nothing shows who sent a kick.
             */
            cpu: number | null;
            /** @description What became of a kick. */
            fate: components["schemas"]["ReportKickFate"] | null;
            /**
             * Format: uint32
             * @description Of a kick or pass: its flags, where they are known.
             */
            flags: number | null;
            /**
             * Format: int64
             * @description When its softirq was raised, ns; of a pass, when it ended.
             */
            handled_ns: number | null;
            /**
             * Format: uint64
             * @description Stale `next_balance`: how far it is off; a swallowed kick: since when the older one is under way. Jiffies.
             */
            jiffies: number | null;
            /** @description What. */
            kind: components["schemas"]["ReportIlbEventKind"];
            /** @description How well it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint32
             * @description Of a pass: tasks that it moved; `None` of a model.
             */
            migrations: number | null;
            /**
             * Format: uint64
             * @description Of a pass: CPUs that it balanced for.
             */
            served: number | null;
            /**
             * Format: int64
             * @description When, ns of the reference clock.
             */
            t_ns: number;
            /**
             * Format: uint32
             * @description Who was kicked, or the pick that blocks.
             */
            target: number | null;
            /** @description Why; `None` when observed. */
            why: components["schemas"]["ReportKickWhy"] | null;
        };
        /** @description What a row is. */
        ReportIlbEventKind: "kick_sent" | "pass" | "pick_blocked" | "stale_next_balance";
        /** @description Kicks and what became of them; handled and dropped ones arrived on their target. */
        ReportIlbKicks: {
            /**
             * Format: uint64
             * @description Ticks that the first and second pick kept from kicking; 2011 only.
             */
            blocked: number;
            /**
             * Format: uint64
             * @description They came, and no softirq was raised.
             */
            dropped: number;
            /**
             * Format: uint64
             * @description Their softirq balanced.
             */
            handled: number;
            /** @description How well it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description They were swallowed, because an older one counted as under way.
             */
            latched: number;
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: uint64
             * @description They were not seen to come.
             */
            not_seen: number;
            /**
             * Format: uint64
             * @description Kicks.
             */
            sent: number;
            /**
             * Format: uint64
             * @description Those of which the sender is known.
             */
            with_sender: number;
        };
        /** @description What a version of the balancer would have done with the same ticks, idle times and run queues. */
        ReportIlbModel: {
            /**
             * Format: uint64
             * @description Ticks that the picks kept from kicking.
             */
            blocked_ticks: number;
            /**
             * Format: uint64
             * @description Kicks that came and did nothing.
             */
            dropped: number;
            /**
             * Format: uint64
             * @description Ticks with waiting tasks before `next_balance`.
             */
            gate_closed_ticks: number;
            /**
             * Format: uint64
             * @description Interrupts that they cost.
             */
            ipis: number;
            /**
             * Format: uint64
             * @description Kicks.
             */
            kicks: number;
            /** @description How well it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description Kicks that were swallowed.
             */
            latched: number;
            /** @description What would make it better known. */
            missing: string[];
            /** @description Which version. */
            name: components["schemas"]["ReportIlbModelName"];
            /**
             * Format: uint64
             * @description Passes.
             */
            passes: number;
            /**
             * Format: uint64
             * @description How far `next_balance` was off at most.
             */
            stale_most_jiffies: number;
            /**
             * Format: double
             * @description Idle CPUs whose balance was overdue while tasks waited.
             */
            waste_cpu_ms: number;
        };
        /** @description A version of the idle load balancer. */
        ReportIlbModelName: "2011" | "2011-patched" | "modern";
        /** @description How each step is known. */
        ReportIlbObservation: {
            /** @description A CPU stops its tick and enters the idle mask. */
            idle_entry: components["schemas"]["ReportToldBy"];
            /** @description A kick comes. */
            kick: components["schemas"]["ReportToldBy"];
            /** @description A CPU balances for the others. */
            pass: components["schemas"]["ReportToldBy"];
            /** @description Ticks. */
            tick: components["schemas"]["ReportToldBy"];
        };
        /** @description Times that one CPU balanced for the others. */
        ReportIlbPasses: {
            /**
             * Format: uint64
             * @description Passes that ended early.
             */
            aborted: number;
            /**
             * Format: uint64
             * @description Passes.
             */
            count: number;
            /**
             * Format: uint64
             * @description A kick asked for it.
             */
            kicked: number;
            /** @description How well it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description Tasks that they moved; null of a model.
             */
            migrations: number | null;
        };
        /** @description Idle CPUs while tasks wait: an upper bound of what better kicks could have saved. */
        ReportIlbWaste: {
            /**
             * Format: double
             * @description Of all idle CPUs.
             */
            beside_waiting_cpu_ms: number;
            /**
             * Format: double
             * @description Of idle CPUs whose balance was overdue.
             */
            cpu_ms: number;
            /** @description How well it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description The costliest, by time. */
            windows: components["schemas"]["ReportWasteStretch"][];
        };
        /** @description Tasks on both nodes as they would be after a move. */
        ReportImbalance: {
            /**
             * Format: int64
             * @description Tasks that would be on the destination.
             */
            dst_running: number;
            /**
             * Format: int64
             * @description By how many the destination would have more; at least 0.
             */
            imbalance: number;
            /**
             * Format: int64
             * @description Tasks that would be left on the source.
             */
            src_running: number;
        };
        /** @description How unevenly the nodes were busy in one step. */
        ReportImbalanceStep: {
            /**
             * Format: int64
             * @description Begin of the step.
             */
            from_ns: number;
            /**
             * Format: double
             * @description Sum of the squares of the nodes' shares in all busy time: 1 / nodes when even, 1 when all is on one node; `None` when
             *     nothing ran.
             */
            hhi: number | null;
            /**
             * Format: double
             * @description Busiest node less the least busy one, percent points.
             */
            max_min: number;
            /**
             * Format: double
             * @description Population standard deviation over the nodes, percent points.
             */
            stdev: number;
        };
        /** @description What the interval would have refused. */
        ReportIntervalWhatIf: {
            /**
             * Format: uint64
             * @description First refusals of their tasks in the window: up to there the history is the real one.
             */
            first: number;
            /**
             * Format: uint64
             * @description The interval as used, s.
             */
            interval_s: number;
            /** @description How good the first ones are. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description Refusals in the window behind a task's first one.
             */
            later: number;
            /** @description What would make them better. */
            missing: string[];
            /**
             * Format: uint64
             * @description Moves between nodes in the window.
             */
            moves: number;
            /** @description The refused moves, first ones and later ones, by time. */
            refused: components["schemas"]["ReportRefusedMove"][];
        };
        /** @description Pages that were migrated for a task that left soon after. */
        ReportJustTooLate: {
            /**
             * Format: uint64
             * @description A: the task left sooner than this, ns.
             */
            amortisation_ns: number;
            /**
             * Format: uint64
             * @description Calls that migrated the late pages.
             */
            batches: number;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description Time these calls took, where their begin is recorded, ns.
             */
            migrate_ns: number;
            /**
             * Format: uint64
             * @description Pages migrated on fault in the window.
             */
            migrated_pages: number;
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: uint64
             * @description Of these, those that came too late.
             */
            pages: number;
            /**
             * Format: double
             * @description Their share; `None` when none were migrated.
             */
            share: number | null;
            /**
             * Format: uint64
             * @description Calls whose destination an event tells; that of the others is the node of the CPU.
             */
            told_batches: number;
            /**
             * Format: uint64
             * @description Pages whose task has not left when the recording ends, too soon to tell.
             */
            undecided_pages: number;
            /**
             * Format: uint64
             * @description Calls of which the begin is not recorded.
             */
            untimed_batches: number;
        };
        /** @description Version of a kernel: the rules of pressure depend on it. */
        ReportKernelVersion: {
            /**
             * Format: uint16
             * @description First number of the release.
             */
            major: number;
            /**
             * Format: uint16
             * @description Second number of the release.
             */
            minor: number;
        };
        /** @description Recorded kicks against the modern model's; the reasons' counts add up to both totals. */
        ReportKickComparison: {
            /**
             * Format: uint64
             * @description Kicks on both sides.
             */
            both: number;
            /**
             * Format: uint64
             * @description Kicks of the model.
             */
            model: number;
            /**
             * Format: uint64
             * @description Kicks recorded.
             */
            observed: number;
            /** @description By reason. */
            reasons: components["schemas"]["ReportKickReason"][];
            /**
             * Format: uint64
             * @description Of the kicks on both sides whose flags are known, those with the same ones.
             */
            same_flags: number;
            /**
             * Format: uint64
             * @description Kicks on both sides whose flags are known.
             */
            told_flags: number;
        };
        /** @description What became of a kick. */
        ReportKickFate: "handled" | "dropped" | "latched" | "aborted" | "not_seen";
        /** @description Why kicks are only on one side. */
        ReportKickReason: {
            /**
             * Format: uint64
             * @description Kicks on both sides.
             */
            both: number;
            /**
             * Format: uint64
             * @description Kicks of the model that are not recorded.
             */
            model_only: number;
            /**
             * Format: uint64
             * @description Kicks recorded and not of the model.
             */
            observed_only: number;
            /** @description A name; more may come. */
            reason: components["schemas"]["ReportKickReasonName"];
            /** @description The row as a sentence. */
            sentence: string;
            /** @description The same in words. */
            words: string;
        };
        /** @description Why a kick is only on one side. */
        ReportKickReasonName: "same" | "other_target" | "under_way" | "next_balance_unknown" | "blocked_load_unknown" | "next_kick" | "nobody_idle" | "tick_not_seen" | "nr_running_differs" | "missed_probe" | "gate_later" | "lost_events";
        /** @description Why. */
        ReportKickWhy: "nr_running" | "first_pick" | "second_pick" | "any_cpu" | "hand_over" | "llc_busy" | "blocked_load" | "next_balance" | "stale_tick" | "not_idle" | "need_resched" | "flag_set" | "nobody_idle" | "pick_idle" | "pick_busy" | "too_early" | "enter_nohz" | "kicked";
        /** @description NUMA cling: groups, their counters over time, flips of busy nodes, and decisions. */
        ReportKnownCling: {
            /** @description What else happened, by time. */
            annotations: components["schemas"]["ReportAnnotation"][];
            /**
             * Format: uint
             * @description How many more there are.
             */
            annotations_more: number;
            /** @description The kernel's lines against the replay. */
            checked: components["schemas"]["ReportCheckedLines"] | null;
            /** @description Whether tasks were kept on their node or allowed off it, by time. */
            decisions: components["schemas"]["ReportClingDecision"][];
            /**
             * Format: uint
             * @description How many more there are.
             */
            decisions_more: number;
            /**
             * Format: uint32
             * @description At the window's end, percent.
             */
            degree: number;
            /** @description Changes of busy nodes, by time. */
            flips: components["schemas"]["ReportOfFlip"][];
            /** @description By scheduler events alone. */
            from_events: components["schemas"]["ReportFromEvents"] | null;
            /** @description By events, probes and readings of the groups' files. */
            from_everything: components["schemas"]["ReportFromEvents"] | null;
            /** @description The groups. */
            groups: components["schemas"]["ReportGroup"][];
            /** @description What tells of it. */
            known_by: components["schemas"]["ReportClingEvidence"];
            /** @description How the replay of events came to the readings. */
            readings: components["schemas"]["ReportReadings"];
            /** @description Their counters, by time. */
            series: components["schemas"]["ReportOfGroupStep"][];
            /**
             * Format: uint64
             * @description Period of the timer that halves the counters, ns.
             */
            timer_period_ns: number;
            /** @description Null unless a degree was asked for. */
            what_if: components["schemas"]["ReportClingWhatIf"] | null;
        };
        /** @description How a value came about (`docs/algorithms/common.md`, K4). */
        ReportLabel: "observed" | "replayed" | "inferred" | "what-if";
        /** @description A section's content and the window that it is about. */
        ReportLatencySection: {
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /** @description By cgroup, in the same order, as many; none when cgroups are not known. */
            by_cgroup: components["schemas"]["ReportCgroupWaits"][];
            /** @description By node, in the machine's order. */
            by_node: components["schemas"]["ReportNodeWaits"][];
            /** @description By task, those that waited longest in sum first; at most as many as asked for. */
            by_task: components["schemas"]["ReportTaskWaits"][];
            /** @description What the wake-ups' waits consisted of. */
            causes: components["schemas"]["ReportCauseTime"][];
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /** @description What would make it better. */
            missing: string[];
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /** @description Waits that began with a preemption. */
            preempted: components["schemas"]["ReportPreemptedWaits"];
            /**
             * Format: uint
             * @description How many tasks waited.
             */
            tasks: number;
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
            /** @description Waits without a request. */
            unrequested: components["schemas"]["ReportUnrequestedWaits"];
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
            /**
             * Format: uint64
             * @description Wake-ups whose wait lies in the window.
             */
            wakeups: number;
            /** @description The longest, longest first; of those that are as long, the earliest first. */
            worst: components["schemas"]["ReportWait"][];
        };
        /** @description A law and the rows. */
        ReportLawCheck: {
            /** @description What it says. */
            form: string;
            /**
             * Format: uint
             * @description Rows in which it holds to the letter.
             */
            holds: number;
            /** @description Which. */
            law: string;
            /**
             * Format: uint
             * @description Rows that were checked.
             */
            rows: number;
            /**
             * Format: uint
             * @description Rows that break it only by what reading the counters one after the other explains.
             */
            skewed: number;
            /**
             * Format: uint
             * @description Rows that break it. For C4 these are none: it is a law of caches without shared pages only.
             */
            violated: number;
            /** @description The first of them. */
            violations: components["schemas"]["ReportLawViolation"][];
        };
        /** @description A row that breaks a law. */
        ReportLawViolation: {
            /**
             * Format: uint64
             * @description By how much, pages or entries; positive.
             */
            by: number;
            /**
             * Format: uint
             * @description Its number, from 0.
             */
            row: number;
            /**
             * Format: int64
             * @description Its time, ns; `None` where rows have none.
             */
            t_ns: number | null;
            /** @description What is wrong, with the counters' short names. */
            what: string;
        };
        /** @description Shared references that stay. */
        ReportLeak: {
            /**
             * Format: int64
             * @description X then: positive for references that stay, negative for references freed too often.
             */
            entries: number;
            /**
             * Format: int64
             * @description When the cache came to rest, or when the row was read that has too few references; ns.
             */
            from_ns: number | null;
            /**
             * Format: int64
             * @description When that was seen, ns.
             */
            to_ns: number | null;
        };
        /**
         * ReportList
         * @description The reports of an analysis, oldest first.
         */
        ReportList: {
            /** Reports */
            reports: components["schemas"]["ListedReport"][];
        };
        /** @description How local memory was. */
        ReportLocality: {
            /** @description The same between two samples. */
            fault_pieces: components["schemas"]["ReportLocalityPiece"][];
            /**
             * Format: double
             * @description `numa_hint_faults_local / numa_hint_faults` over the samples of the window; `None` without faults or samples.
             */
            faults: number | null;
            /** @description How good these are. */
            faults_quality: components["schemas"]["ReportQuality"];
            /**
             * Format: double
             * @description Share of pages on the node where their process ran, over all processes, by time.
             */
            pages: number | null;
            /** @description How good these are. */
            pages_quality: components["schemas"]["ReportQuality"];
            /** @description By process. */
            processes: components["schemas"]["ReportProcessLocality"][];
        };
        /** @description A share over some time. */
        ReportLocalityPiece: {
            /**
             * Format: int64
             * @description Begin, ns.
             */
            from_ns: number;
            /**
             * Format: double
             * @description The local share; `None` when there was nothing to tell it by.
             */
            share: number | null;
            /**
             * Format: int64
             * @description End, ns.
             */
            to_ns: number;
        };
        /** @description Stall that was lost to reads in quick succession, µs. */
        ReportLostStall: {
            /**
             * Format: uint64
             * @description Of `cpu` `some`.
             */
            cpu: number;
            /**
             * Format: uint64
             * @description Of `io` `some`.
             */
            io: number;
            /**
             * Format: uint64
             * @description Of `memory` `some`.
             */
            memory: number;
        };
        /** @description Whether a task may move to a free CPU of the destination. */
        ReportMaymove: "allowed" | "denied" | "load_test" | "unknown";
        /** @description What told where a task's memory is. */
        ReportMemoryEvidence: "faults" | "maps" | "preferred" | "balancer";
        /** @description Pages migrated on fault, to the node where the task runs. */
        ReportMemoryFollowsCpu: {
            /**
             * Format: uint64
             * @description Calls.
             */
            batches: number;
            /**
             * Format: uint64
             * @description Pages that could not be migrated.
             */
            failed: number;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /** @description By the node that they came to. */
            nodes: components["schemas"]["ReportNodePages"][];
            /**
             * Format: uint64
             * @description Pages.
             */
            pages: number;
            /**
             * Format: double
             * @description Pages per second of the window.
             */
            per_s: number;
        };
        /** @description Whether memory followed the CPUs, or the CPUs the memory, in a window. */
        ReportMigrationMetrics: {
            /** @description When it was settled. */
            convergence: components["schemas"]["ReportConvergence"];
            /** @description Tasks that followed pages. */
            cpu_follows_memory: components["schemas"]["ReportCpuFollowsMemory"];
            /** @description Time of the calls that migrate pages; observed where their begin is recorded. */
            durations: components["schemas"]["ReportDurations"][];
            /** @description How long tasks stayed. */
            dwell: components["schemas"]["ReportDwell"];
            /** @description Both at once. */
            fight: components["schemas"]["ReportFight"];
            /**
             * Format: int64
             * @description The window, ns of the reference clock.
             */
            from_ns: number;
            /** @description Pages that came too late. */
            just_too_late: components["schemas"]["ReportJustTooLate"];
            /** @description How local memory was. */
            locality: components["schemas"]["ReportLocality"];
            /** @description Pages that followed tasks. */
            memory_follows_cpu: components["schemas"]["ReportMemoryFollowsCpu"];
            /** @description Moves of tasks between nodes. */
            moves: components["schemas"]["ReportNodeMoves"];
            /** @description Over time. */
            series: components["schemas"]["ReportMoveSeries"];
            /** @description Tasks. */
            tasks: components["schemas"]["ReportMovedTasks"];
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
        };
        /** @description So many for a reason. */
        ReportMiss: {
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: int64
             * @description The first, ns.
             */
            first_ns: number;
            /** @description Why. */
            reason: components["schemas"]["ReportMissReason"];
        };
        /** @description Why something was missed, or is there though it was not printed. */
        ReportMissReason: "lost" | "silent" | "not_seen" | "not_joined" | "other_group" | "wrong_target" | "unknown_target" | "wrong_verdict" | "unknown_verdict" | "late_accounting" | "timer_order" | "resampled" | "group_unknown" | "not_counted" | "other";
        /** @description Today's equivalents of the table of 2010 in a window. */
        ReportModern: {
            /**
             * @description `numa_hint_faults_local <= numa_hint_faults`, `numa_pages_migrated <= pgmigrate_success`, and pages migrated on
             *     fault by events and by the counter.
             */
            conserved: components["schemas"]["ReportConserved"][];
            /** @description Every statistic of 2010. */
            equivalents: components["schemas"]["ReportEquivalent"][];
            /** @description The samples of `/proc/vmstat` that were compared: begin of the first and of the last, ns. */
            samples_ns: [
                number,
                number
            ] | null;
        };
        /** @description What happened in each step of the window. Rates are these counts by a step's length; the last step may be shorter. */
        ReportMoveSeries: {
            /** @description Pages migrated for any reason. */
            all_pages: number[];
            /** @description Pages migrated on fault by the node that they came to, in the order of `memory_follows_cpu.nodes`. */
            by_node: number[][];
            /** @description Pages migrated on fault that came too late, in the step in which they came. */
            just_too_late: number[];
            /** @description Moves of tasks between nodes. */
            moves: number[];
            /** @description Pages migrated on fault. */
            pages: number[];
            /**
             * Format: uint64
             * @description Length of a step, ns.
             */
            step_ns: number;
        };
        /** @description A task that moved between nodes, or whose pages did. */
        ReportMovedTask: {
            /** @description Time on each node, whether it ran or not, ns; together the window's length. */
            by_node: [
                number,
                number
            ][];
            /**
             * Format: uint64
             * @description Of these, those that came too late.
             */
            just_too_late_pages: number;
            /**
             * Format: uint64
             * @description Time it spent migrating them, ns.
             */
            migrate_ns: number;
            /**
             * Format: uint64
             * @description Moves between nodes.
             */
            moves: number;
            /**
             * Format: uint64
             * @description Pages migrated on fault for it.
             */
            pages: number;
            /**
             * Format: int32
             * @description The task.
             */
            pid: number;
            /**
             * Format: uint64
             * @description Time that it ran, ns, if that is known.
             */
            run_ns: number | null;
            /**
             * Format: uint64
             * @description Complete dwells under a second.
             */
            short_dwells: number;
            /**
             * Format: uint32
             * @description Its number; `None` of one that never changed its CPU.
             */
            task: number | null;
            /**
             * Format: int32
             * @description Its process, or itself where that is not known.
             */
            tgid: number;
        };
        /** @description Tasks, the worst first. */
        ReportMovedTasks: {
            /**
             * Format: uint64
             * @description How many there are.
             */
            count: number;
            /** @description Those that moved most and those whose pages took most time. */
            rows: components["schemas"]["ReportMovedTask"][];
        };
        /**
         * @description Why `task_numa_find_cpu` found no CPU on the node it was asked for, as far as task counts tell. The numbers stand in the
         *     [`Explanation`](super::Explanation) beside it.
         */
        ReportNoCpu: "target_unknown" | "cpus_unknown" | "dst_overloaded" | "dst_full" | "imbalance_denied" | "no_idle_cpu" | "idle_cpu_not_taken" | "load";
        /** @description A node when an attempt began. */
        ReportNodeAt: {
            /**
             * Format: uint32
             * @description Of these, those that were idle.
             */
            idle_cpus: number;
            /** @description How good that is: replayed where one type alone is possible. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /** @description What it was for the balancer; more than one where averages decide, none for kernels that do not classify. */
            node_type: components["schemas"]["ReportNodeType"][];
            /**
             * Format: uint64
             * @description Runnable tasks of any class on its CPUs, those that run included.
             */
            nr_running: number;
            /**
             * Format: uint32
             * @description Of these, those of which nothing is known.
             */
            unknown_cpus: number;
            /**
             * Format: uint32
             * @description Its CPUs.
             */
            weight: number;
        };
        /** @description Moves of tasks between nodes, today's form of the 2010 statistic "tasks migrated". */
        ReportNodeMoves: {
            /** @description By what the task was then. */
            by_how: [
                string,
                number
            ][];
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
            /**
             * Format: double
             * @description Per second of the window.
             */
            per_s: number;
            /**
             * Format: uint64
             * @description Migrations from or to CPUs of which no node is known.
             */
            unplaced: number;
            /**
             * Format: uint64
             * @description Times that a task turned out to be on another node than its last event says.
             */
            unseen: number;
        };
        /** @description A node's share. */
        ReportNodePages: {
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Pages that came to it.
             */
            pages: number;
            /**
             * Format: double
             * @description Per second of the window.
             */
            per_s: number;
        };
        /** @description `enum numa_type`. */
        ReportNodeType: "has_spare" | "fully_busy" | "overloaded";
        /** @description The waits that ended on a node. */
        ReportNodeWaits: {
            /** @description What they consisted of. */
            causes: components["schemas"]["ReportCauseTime"][];
            /**
             * Format: uint64
             * @description Its wake-ups.
             */
            count: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Waits after a preemption, which are in none of the numbers above.
             */
            preempted: number;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            preempted_ns: number;
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
        };
        /** @description A section's content and the window that it is about. */
        ReportNumaBalancingSection: {
            /** @description The first of the window. */
            attempts: components["schemas"]["ReportAttempt"][];
            /**
             * Format: uint
             * @description How many more there are.
             */
            attempts_more: number;
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /** @description How much the recording has of each kind of event. */
            counts: components["schemas"]["ReportNumaCounts"];
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /** @description What became of them, counted. */
            ops: components["schemas"]["ReportOps"];
            /** @description How busy each node was in each step. */
            per_node: components["schemas"]["ReportPerNode"];
            /** @description The traced kernel's rules for moves between nodes. */
            rules: components["schemas"]["ReportBalancingRules"];
            /** @description The kernel's version is not known. */
            rules_assumed: boolean;
            /** @description Which kinds of events the recording has. */
            sources: components["schemas"]["ReportNumaSources"];
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
        };
        /** @description How much was met. */
        ReportNumaCounts: {
            /**
             * Format: uint64
             * @description Attempts.
             * @default 0
             */
            attempts: number;
            /**
             * Format: uint64
             * @description Events that were older than the one before them.
             * @default 0
             */
            backwards: number;
            /**
             * Format: uint64
             * @description Probes on the entry of `task_numa_migrate`.
             * @default 0
             */
            entries: number;
            /**
             * Format: uint64
             * @description Lines of the cling kernel, and probes that tell the same.
             * @default 0
             */
            lines: number;
            /**
             * Format: uint64
             * @description Gaps of lost events.
             * @default 0
             */
            lost: number;
            /**
             * Format: uint64
             * @description `mm_migrate_misplaced_pages`.
             * @default 0
             */
            misplaced: number;
            /**
             * Format: uint64
             * @description `sched_move_numa`.
             * @default 0
             */
            moves: number;
            /**
             * Format: uint64
             * @description Calls that migrated pages.
             * @default 0
             */
            page_batches: number;
            /**
             * Format: uint64
             * @description Probes on its return.
             * @default 0
             */
            returns: number;
            /**
             * Format: uint64
             * @description `sched_skip_vma_numa`.
             * @default 0
             */
            skipped_vmas: number;
            /**
             * Format: uint64
             * @description `sched_stick_numa`.
             * @default 0
             */
            sticks: number;
            /**
             * Format: uint64
             * @description `sched_swap_numa`.
             * @default 0
             */
            swaps: number;
            /**
             * Format: uint64
             * @description Of them, those whose beginning is known.
             * @default 0
             */
            timed_batches: number;
            /**
             * Format: uint64
             * @description Settings of a preferred node that both a line and a probe told.
             * @default 0
             */
            told_twice: number;
            /**
             * Format: uint64
             * @description Of them, those whose end is not known.
             * @default 0
             */
            unknown: number;
        };
        /** @description Which events a recording has. A kind that a recorder was told to record and that never came counts as one it has not. */
        ReportNumaSources: {
            /**
             * @description Any line of the cling kernel.
             * @default false
             */
            cling_lines: boolean;
            /**
             * @description A probe on the entry of `task_numa_migrate`.
             * @default false
             */
            entry_probe: boolean;
            /**
             * @description That probe prints the preferred node.
             * @default false
             */
            entry_tells_node: boolean;
            /**
             * @description `mm_migrate_pages`.
             * @default false
             */
            migrate_pages: boolean;
            /**
             * @description `mm_migrate_pages_start`: batches have a beginning.
             * @default false
             */
            migrate_pages_start: boolean;
            /**
             * @description `mm_migrate_misplaced_pages`.
             * @default false
             */
            misplaced: boolean;
            /**
             * @description `sched_move_numa`.
             * @default false
             */
            moves: boolean;
            /**
             * @description A probe on its return.
             * @default false
             */
            return_probe: boolean;
            /**
             * @description Lines of the cling kernel in `sched_setnuma`.
             * @default false
             */
            setnuma_line: boolean;
            /**
             * @description A probe on `sched_setnuma`.
             * @default false
             */
            setnuma_probe: boolean;
            /**
             * @description `sched_skip_vma_numa`.
             * @default false
             */
            skip_vma: boolean;
            /**
             * @description The fields of `sched_stick_numa`; `None` when it never came.
             * @default null
             */
            stick: components["schemas"]["ReportStickFormat"] | null;
            /**
             * @description `sched_swap_numa`.
             * @default false
             */
            swaps: boolean;
            /**
             * @description A probe on the callback of cling's timer.
             * @default false
             */
            timer_probe: boolean;
        };
        /** @description Something of a group. */
        ReportOfFlip: {
            /**
             * Format: int32
             * @description `busiest_nid` from then on.
             */
            busiest_nid: number;
            /** @description Whether it is busy from then on. */
            busy: boolean;
            /** @description Its cgroup's path. */
            cgroup: string | null;
            /**
             * Format: uint32
             * @description The degree then.
             */
            degree: number;
            /**
             * Format: uint64
             * @description `FAILURE_SCALED`: failed attempts to reach the node.
             */
            f: number;
            /**
             * Format: int32
             * @description The group's id.
             */
            gid: number;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description `FAILURE_RATIO`, percent; 0..=99.
             */
            q: number;
            /**
             * Format: uint64
             * @description `TOTAL_SCALED`: all attempts to reach it.
             */
            t: number;
            /**
             * Format: int64
             * @description When, ns.
             */
            t_ns: number;
        };
        /** @description Something of a group. */
        ReportOfGroupStep: {
            /**
             * Format: int32
             * @description The group's busiest node; -1 for none.
             */
            busiest_nid: number;
            /** @description Its cgroup's path. */
            cgroup: string | null;
            /**
             * Format: uint64
             * @description Failures as the kernel weighs them.
             */
            failure_scaled: number;
            /**
             * Format: int32
             * @description The group's id.
             */
            gid: number;
            /**
             * Format: int32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Failures of attempts, percent.
             */
            ratio_percent: number;
            /**
             * Format: int64
             * @description From when on, ns.
             */
            t_ns: number;
            /**
             * Format: uint64
             * @description Attempts as the kernel weighs them.
             */
            total_scaled: number;
        };
        /** @description The table for a window. */
        ReportOps: {
            /**
             * Format: uint64
             * @description Attempts that began in the window.
             */
            attempts: number;
            /** @description Tasks that came to another node. */
            crossings: components["schemas"]["ReportCrossings"];
            /** @description What failed, by why. */
            failures: components["schemas"]["ReportOpsFailures"];
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description Tasks that came to another CPU.
             */
            migrations: number;
            /** @description What would make it better. */
            missing: string[];
            /** @description mmtests' rows of the same window. */
            mmtests: components["schemas"]["ReportOpsRows"];
            /**
             * Format: uint64
             * @description How often mmtests' monitor would have warned.
             */
            mmtests_warnings: number;
            /**
             * Format: uint64
             * @description Moves that were tried.
             */
            moves: number;
            /**
             * Format: uint64
             * @description Of them, those that did not fail.
             */
            moves_ok: number;
            /**
             * Format: uint64
             * @description Failures of a task that had failed in the window before.
             */
            retries: number;
            /** @description The same in mmtests' names, as its rows are meant. */
            rows: components["schemas"]["ReportOpsRows"];
            /**
             * Format: uint64
             * @description Swaps that were tried.
             */
            swaps: number;
            /**
             * Format: uint64
             * @description Of `swaps`, those inside a node.
             */
            swaps_local: number;
            /**
             * Format: uint64
             * @description Of them, those that did not fail.
             */
            swaps_ok: number;
            /**
             * Format: uint64
             * @description Of `swaps`, those inside a numa group.
             */
            swaps_within_group: number;
            /**
             * Format: uint64
             * @description Of them, those whose end is not known.
             */
            unknown: number;
        };
        /** @description Why attempts failed. */
        ReportOpsFailures: {
            /**
             * Format: uint64
             * @description The move was tried and failed.
             */
            move_failed: number;
            /**
             * Format: uint64
             * @description The move was refused before it was tried: affinity.
             */
            move_refused: number;
            /**
             * Format: uint64
             * @description No CPU was found.
             */
            no_cpu: number;
            /**
             * Format: uint64
             * @description The task's CPU is in no NUMA domain.
             */
            no_domain: number;
            /**
             * Format: uint64
             * @description The swap was tried, and a task had gone elsewhere meanwhile.
             */
            swap_raced: number;
            /**
             * Format: uint64
             * @description The swap was refused before it was tried.
             */
            swap_refused: number;
        };
        /** @description The table's rows; `None` is a counter that never counted: the monitor's table lacks the row. */
        ReportOpsRows: {
            /**
             * Format: int64
             * @description Tasks that crossed nodes, less one for each move and two for each swap.
             */
            load_balance_cross_numa: number | null;
            /**
             * Format: int64
             * @description `sched_stick_numa` with a CPU and without a partner.
             */
            migrate_failed_move_to_idle: number | null;
            /**
             * Format: int64
             * @description `sched_stick_numa` without a CPU.
             */
            migrate_failed_no_cpu: number | null;
            /**
             * Format: int64
             * @description `sched_stick_numa` with a partner.
             */
            migrate_failed_swap_task_fail: number | null;
            /**
             * Format: int64
             * @description `sched_stick_numa` of a task that was stuck before.
             */
            task_migrate_retry: number | null;
            /**
             * Format: int64
             * @description The same as the retries.
             */
            task_migrate_retry_failed: number | null;
            /**
             * Format: int64
             * @description Counted only by an event that no kernel release has.
             */
            task_migrate_retry_success: number | null;
            /**
             * Format: int64
             * @description Every `sched_move_numa`: attempts, also failed ones.
             */
            task_migrated_idle_cpu: number | null;
            /**
             * Format: int64
             * @description Counted only by an event that no kernel release has.
             */
            task_migrated_idle_cpu_local_nid: number | null;
            /**
             * Format: int64
             * @description Every `sched_swap_numa`: attempts, also failed ones.
             */
            task_migrated_swapped: number | null;
            /**
             * Format: int64
             * @description Of them, those inside a node.
             */
            task_migrated_swapped_local_nid: number | null;
            /**
             * Format: int64
             * @description Of them, those inside a numa group.
             */
            task_migrated_swapped_within_group: number | null;
        };
        /** @description A value, or why there is none. */
        ReportOr: components["schemas"]["ReportPressureTotals"] | components["schemas"]["ReportUnavailable"];
        /** @description A value, or why there is none. */
        ReportOr2: components["schemas"]["ReportPressureTotal"] | components["schemas"]["ReportUnavailable"];
        /** @description A value, or why there is none. */
        ReportOr3: {
            [key: string]: components["schemas"]["ReportPressureTotals"];
        } | components["schemas"]["ReportUnavailable"];
        /** @description A value, or why there is none. */
        ReportOr4: {
            [key: string]: components["schemas"]["ReportSampledTotal"];
        } | components["schemas"]["ReportUnavailable"];
        /** @description A value, or why there is none. */
        ReportOr5: components["schemas"]["ReportPressureSeries"] | components["schemas"]["ReportUnavailable"];
        /** @description A value, or why there is none. */
        ReportOr6: components["schemas"]["ReportFinding"][] | components["schemas"]["ReportUnavailable"];
        /** @description Those that ran as well, and are too many to be named. */
        ReportOtherTasks: {
            /**
             * Format: uint64
             * @description How long together.
             */
            ns: number;
            /**
             * Format: uint
             * @description How many tasks.
             */
            tasks: number;
        };
        /** @description A section's content and the window that it is about. */
        ReportPageMigrationSection: {
            /**
             * Format: uint64
             * @description How long a task must stay for its pages to be worth the way, ns.
             */
            amortisation_ns: number | null;
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /** @description Null without a recording. */
            metrics: components["schemas"]["ReportMigrationMetrics"] | null;
            /** @description What tells today what the statistics told; null without a recording. */
            modern: components["schemas"]["ReportModern"] | null;
            /** @description Null unless the statistics of auto-migration were sampled. */
            table: components["schemas"]["ReportAutomigTable"] | null;
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
            /** @description What a migration interval would have refused; null without a recording. */
            what_if: components["schemas"]["ReportIntervalWhatIf"] | null;
        };
        /** @description The other task of a swap. */
        ReportPartner: {
            /**
             * Format: int32
             * @description Its numa group; 0 for none.
             */
            ngid: number;
            /**
             * Format: int32
             * @description Its pid.
             */
            pid: number;
            /**
             * Format: int32
             * @description Its process.
             */
            tgid: number;
        };
        /** @description The table. */
        ReportPerNode: {
            /** @description How uneven the nodes are in each step. */
            imbalance: components["schemas"]["ReportImbalanceStep"][];
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better. */
            missing: string[];
            /** @description A row per node. */
            nodes: components["schemas"]["ReportBusyNode"][];
            /** @description What it counts. */
            reading: components["schemas"]["ReportPerNodeReading"];
            /**
             * Format: uint64
             * @description Length of a step, ns; the last one may be shorter.
             */
            step_ns: number;
            /**
             * Format: int64
             * @description Begin of the first step, ns of the reference clock.
             */
            t0_ns: number;
        };
        /** @description What the cells count, as a share of the node's CPUs. */
        ReportPerNodeReading: "busy" | "workload" | "load";
        /** @description The CPU time of a row. */
        ReportPlacementGroup: {
            /** @description Its cgroup, where the kernel has groups of cgroups and they were read. */
            cgroup: string | null;
            /**
             * Format: uint
             * @description How many groups the row is of; 0 for tasks without one.
             */
            groups: number;
            /**
             * Format: uint64
             * @description Of it, from before an event told of the group.
             */
            inferred_ns: number;
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: int32
             * @description Id of the numa group; null for rows of no single group.
             */
            ngid: number | null;
            /** @description By node, in the machine's order. */
            nodes: components["schemas"]["ReportPlacementNode"][];
            /**
             * Format: uint64
             * @description On all nodes, CPU-ns.
             */
            run_ns: number;
            /**
             * Format: uint
             * @description Tasks that ran.
             */
            tasks: number;
            /** @description Whose time or memory it is. */
            whose: components["schemas"]["ReportPlacementOwner"];
        };
        /** @description The memory of a row's processes by their last reading. */
        ReportPlacementMemory: {
            /** @description Its cgroup, where the kernel has groups of cgroups and they were read. */
            cgroup: string | null;
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: int32
             * @description Id of the numa group; null for rows of no single group.
             */
            ngid: number | null;
            /** @description By node, in the machine's order. */
            nodes: components["schemas"]["ReportPlacementMemoryNode"][];
            /**
             * Format: uint
             * @description Processes that were sampled.
             */
            processes: number;
            /** @description Whose time or memory it is. */
            whose: components["schemas"]["ReportPlacementOwner"];
        };
        /** @description Memory on a node. */
        ReportPlacementMemoryNode: {
            /**
             * Format: uint64
             * @description Resident, KiB.
             */
            kb: number;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
        };
        /** @description CPU time on a node. */
        ReportPlacementNode: {
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description In the whole window, CPU-ns.
             */
            run_ns: number;
            /** @description In each step, CPU-ns. */
            series: number[];
        };
        /** @description Whose time or memory a row is of. */
        ReportPlacementOwner: "group" | "others" | "no_group" | "unknown";
        /** @description A section's content and the window that it is about. */
        ReportPlacementSection: {
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /**
             * Format: uint64
             * @description All CPU time of tasks: what the rows add up to.
             */
            busy_ns: number;
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /** @description Groups by CPU time, then those that share a row, then tasks in none, then those of which nobody knows. */
            groups: components["schemas"]["ReportPlacementGroup"][];
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /** @description By group, in the order of `groups`; null when no memory was sampled. */
            memory: components["schemas"]["ReportPlacementMemory"][] | null;
            /** @description What would tell of memory. */
            memory_missing: string[];
            /** @description What would make it better. */
            missing: string[];
            /**
             * Format: uint64
             * @description Length of a step, ns; the last one may be shorter.
             */
            step_ns: number;
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
        };
        /** @description A moment at which a node's being busy decides something. */
        ReportPoint: {
            /**
             * Format: int32
             * @description `busiest_nid`.
             */
            busiest_nid: number;
            /**
             * Format: int32
             * @description Where it was to go; -1 when unknown.
             */
            dnid: number;
            /**
             * Format: uint64
             * @description `FAILURE_SCALED`: failed attempts to reach the node.
             */
            f: number;
            /** @description What happened is what cling does with a busy node (`true`) or with one that is not; `None` when cling never does it. */
            fits_busy: boolean | null;
            /**
             * Format: uint32
             * @description Number of the group.
             */
            group: number;
            /** @description How the moment is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: int32
             * @description The node that decides.
             */
            nid: number;
            /**
             * Format: int32
             * @description Whose decision.
             */
            pid: number;
            /**
             * Format: uint64
             * @description `FAILURE_RATIO`, percent; 0..=99.
             */
            q: number;
            /** @description Where in the kernel. */
            site: components["schemas"]["ReportClingSite"];
            /**
             * Format: int32
             * @description Where the task or the memory was; -1 when unknown.
             */
            snid: number;
            /**
             * Format: uint64
             * @description `TOTAL_SCALED`: all attempts to reach it.
             */
            t: number;
            /**
             * Format: int64
             * @description When, ns.
             */
            t_ns: number;
        };
        /** @description Waits that began with a preemption. */
        ReportPreemptedWaits: {
            /** @description What they consisted of. */
            causes: components["schemas"]["ReportCauseTime"][];
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            wait_ns: number;
            /** @description The longest ones. */
            worst: components["schemas"]["ReportWait"][];
        };
        /** @description Pressure: replayed, and next to it as sampled. What only the replay tells is null without one. */
        ReportPressure: {
            /** @description Averages predicted from the sampled totals against the printed ones. */
            averages: components["schemas"]["ReportPressureAverages"] | null;
            /** @description The same for cgroups. */
            cgroup_residual: {
                [key: string]: components["schemas"]["ReportPressureResiduals"];
            } | null;
            /** @description Replayed, of the cgroups, by path. */
            cgroups: components["schemas"]["ReportOr3"];
            /**
             * Format: uint32
             * @description Jiffies per second.
             */
            hz: number | null;
            /** @description How that is known. */
            hz_source: components["schemas"]["ReportEvidenceSource"] | null;
            /** @description Stall that aggregations threw away. */
            lost_us: components["schemas"]["ReportLostStall"] | null;
            /** @description The clocks of the nodes' CPUs. */
            nodes: components["schemas"]["ReportPressureNode"][] | null;
            /** @description The machine's totals against the samples. */
            residual: components["schemas"]["ReportPressureResiduals"] | null;
            /** @description First kernel version of the rules in use. */
            rules: string | null;
            /** @description Why these. */
            rules_source: components["schemas"]["ReportEvidenceSource"] | null;
            /** @description Between the first and the last sample of the window, of the machine. */
            sampled: components["schemas"]["ReportOr4"];
            /** @description Replayed, over time. */
            series: components["schemas"]["ReportOr5"];
            /** @description Replayed, of the machine. */
            system: components["schemas"]["ReportOr"];
            /** @description How the moments of the kernel's own updates are known. */
            worker_source: components["schemas"]["ReportEvidenceSource"] | null;
        };
        /** @description How well the kernel's averages follow from its totals. */
        ReportPressureAverages: {
            /**
             * Format: uint
             * @description Of `updates`, those with but one possible percentage.
             */
            exact: number;
            /** @description Replayed when the moments of all updates are known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What is not. */
            missing: string[];
            /**
             * Format: uint
             * @description Updates that could not be predicted: the first of each line, and those across a gap of the samples.
             */
            skipped: number;
            /**
             * Format: uint
             * @description Updates of a line (three averages each) that were predicted.
             */
            updates: number;
            /**
             * Format: double
             * @description The largest distance of a printed average from its prediction.
             */
            worst: number;
        };
        /** @description Clocks of the CPUs of a node, added up. */
        ReportPressureNode: {
            /**
             * Format: uint64
             * @description CPU time with tasks runnable and none running, ns.
             */
            cpu_full_ns: number;
            /**
             * Format: uint64
             * @description CPU time with a task waiting for the CPU, ns.
             */
            cpu_some_ns: number;
            /**
             * Format: int32
             * @description The node; -1 when not known.
             */
            nid: number;
            /**
             * Format: uint64
             * @description CPU time with anything to do or to wait for, ns.
             */
            nonidle_ns: number;
            /**
             * Format: uint64
             * @description CPU time of which nobody knows, ns; in none of the others.
             */
            unknown_ns: number;
        };
        /** @description The machine's pressure for one resource at one moment. */
        ReportPressurePoint: {
            /**
             * Format: double
             * @description None where the kernel has no such line.
             */
            full_avg10: number | null;
            /**
             * Format: double
             * @description See `full_avg10`.
             */
            full_avg300: number | null;
            /**
             * Format: double
             * @description See `full_avg10`.
             */
            full_avg60: number | null;
            /**
             * Format: uint64
             * @description See `some_total_us` and `full_avg10`.
             */
            full_total_us: number | null;
            /**
             * Format: double
             * @description As a percentage with two places, like the file.
             */
            some_avg10: number;
            /**
             * Format: double
             * @description See `some_avg10`.
             */
            some_avg300: number;
            /**
             * Format: double
             * @description See `some_avg10`.
             */
            some_avg60: number;
            /**
             * Format: uint64
             * @description µs since the window's start.
             */
            some_total_us: number;
            /**
             * Format: int64
             * @description When, ns.
             */
            t_ns: number;
        };
        /** @description A resource's sampled and replayed growth between two samples. */
        ReportPressureResidual: {
            /**
             * Format: uint64
             * @description What the loose check (`docs/algorithms/psi.md`, P10) allows: 2 % or two jiffies per aggregation, whichever is more, µs.
             */
            check_tolerance_us: number;
            /** @description `some` and `full` are within that. */
            check_within: boolean;
            /**
             * Format: double
             * @description By how much the replay is above (or below) what was printed, percent of that.
             */
            error_percent: number;
            /**
             * Format: int64
             * @description The first sample's read, ns.
             */
            from_ns: number;
            /**
             * Format: double
             * @description The sampled growth as a share of the time, percent.
             */
            pressure_percent: number;
            /**
             * Format: uint64
             * @description The same as replayed.
             */
            replayed_full_us: number | null;
            /**
             * Format: uint64
             * @description The same as replayed.
             */
            replayed_some_us: number;
            /**
             * Format: uint64
             * @description Growth of `full` as printed, µs; none where the kernel has no such line.
             */
            sampled_full_us: number | null;
            /**
             * Format: uint64
             * @description Growth of `some` (of `full` where there is no `some`) as printed, µs.
             */
            sampled_some_us: number;
            /**
             * Format: uint
             * @description Samples in the window.
             */
            samples: number;
            /**
             * Format: int64
             * @description The last sample's read, ns.
             */
            to_ns: number;
            /**
             * Format: double
             * @description How far it may be off.
             */
            tolerance_percent: number;
            /** @description It is not. */
            within: boolean;
        };
        /** @description Residuals by resource. */
        ReportPressureResiduals: {
            /** @description Of `cpu`. */
            cpu: components["schemas"]["ReportPressureResidual"] | null;
            /** @description Of `io`. */
            io: components["schemas"]["ReportPressureResidual"] | null;
            /** @description Of `memory`. */
            memory: components["schemas"]["ReportPressureResidual"] | null;
        };
        /** @description The machine's pressure over time. */
        ReportPressureSeries: {
            /** @description Points of `cpu`. */
            cpu: components["schemas"]["ReportPressurePoint"][];
            /** @description Points of `io`; none without evidence. */
            io: components["schemas"]["ReportPressurePoint"][];
            /** @description How good the averages are: they lean on what was before the window. */
            label: components["schemas"]["ReportLabel"] | null;
            /** @description Points of `memory`; none without evidence. */
            memory: components["schemas"]["ReportPressurePoint"][];
            /** @description What a better answer would need. */
            missing: string[];
        };
        /** @description A resource's replayed totals in the window. */
        ReportPressureTotal: {
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /**
             * Format: uint64
             * @description µs in which all were; none where the kernel has no such line.
             */
            full_us: number | null;
            /** @description How good that is. */
            label: components["schemas"]["ReportLabel"];
            /** @description What a better answer would need. */
            missing: string[];
            /**
             * Format: uint64
             * @description µs in which some task was delayed; none where the resource has no such line.
             */
            some_us: number | null;
        };
        /** @description The resources of the machine or a cgroup. */
        ReportPressureTotals: {
            /** @description Waiting for a CPU. */
            cpu: components["schemas"]["ReportOr2"];
            /** @description Waiting for I/O. */
            io: components["schemas"]["ReportOr2"];
            /** @description Interrupt time. */
            irq: components["schemas"]["ReportOr2"];
            /** @description Memory stalls. */
            memory: components["schemas"]["ReportOr2"];
        };
        /** @description When a process was settled. */
        ReportProcessConvergence: {
            /**
             * Format: uint64
             * @description When, ns after the window's begin; `None` when not in the window.
             */
            after_ns: number | null;
            /**
             * Format: int32
             * @description The process.
             */
            tgid: number;
        };
        /** @description Locality of one process, by its pages. */
        ReportProcessLocality: {
            /** @description The same between two samples. */
            pieces: components["schemas"]["ReportLocalityPiece"][];
            /**
             * Format: double
             * @description Share of its pages on the node where it ran, by time.
             */
            share: number | null;
            /**
             * Format: int32
             * @description The process.
             */
            tgid: number;
        };
        /** @description How good a value is. */
        ReportQuality: {
            /** @description How it is known. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better known. */
            missing: string[];
        };
        /** @description How the replay of events came to what was read from the groups' files. */
        ReportReadings: {
            /**
             * Format: uint
             * @description Taken over, for nothing was known before.
             */
            adopted: number;
            /**
             * Format: uint
             * @description Readings.
             */
            all: number;
            /**
             * Format: uint
             * @description As read.
             */
            exactly: number;
            /**
             * Format: uint
             * @description Not at all: the replay goes on from what was read.
             */
            not: number;
            /**
             * Format: uint
             * @description With attempts in another order than their events.
             */
            reordered: number;
            /**
             * Format: uint
             * @description With a timer at another moment.
             */
            timer_shifted: number;
        };
        /** @description A move that would have been refused. */
        ReportRefusedMove: {
            /**
             * Format: uint64
             * @description Since its last move that would have been allowed, ns.
             */
            after_ns: number;
            /**
             * Format: uint32
             * @description From this node.
             */
            from_nid: number;
            /** @description Inferred for a task's first refusal, a what-if for all later ones: the task would have been elsewhere by then. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: int32
             * @description Whose.
             */
            pid: number;
            /**
             * Format: int64
             * @description When, ns of the reference clock.
             */
            t_ns: number;
            /**
             * Format: uint32
             * @description The task's number.
             */
            task: number;
            /**
             * Format: uint32
             * @description To this one.
             */
            to_nid: number;
        };
        /** @description Time that ran on nodes that do not hold most of the memory. */
        ReportRemoteRun: {
            /** @description What would make it better known; where neither run times nor memory are known, `ns` is 0. */
            missing: string[];
            /**
             * Format: uint64
             * @description ns on CPUs.
             */
            ns: number;
        };
        /** @description One line of the table. */
        ReportReproduced: {
            /** @description Not printed, and in the replay. */
            extra: components["schemas"]["ReportMiss"][];
            /** @description Printed and not reproduced. */
            missed: components["schemas"]["ReportMiss"][];
            /**
             * Format: double
             * @description Reproduced of printed, percent; `None` when nothing was printed.
             */
            percent: number | null;
            /**
             * Format: uint64
             * @description Printed.
             */
            printed: number;
            /**
             * Format: uint64
             * @description Of these, reproduced.
             */
            reproduced: number;
            /**
             * Format: uint64
             * @description Of the reproduced, those that stand more than a jiffy elsewhere in time.
             */
            shifted: number;
        };
        /** @description A task's time on a node. */
        ReportResidencyNode: {
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Time on its CPUs, ns.
             */
            run_ns: number;
        };
        /** @description A section's content and the window that it is about. */
        ReportResidencySection: {
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better. */
            missing: string[];
            /** @description At most as many as asked for. */
            tasks: components["schemas"]["ReportResidencyTask"][];
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
            /**
             * Format: uint
             * @description How many ran or waited.
             */
            total: number;
        };
        /** @description Where a task ran in a window. */
        ReportResidencyTask: {
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint32
             * @description On how many CPUs it ran.
             */
            cpus: number;
            /**
             * Format: uint64
             * @description How often it went on on another node than where it last ran.
             */
            migrations_node: number;
            /** @description The nodes where it ran, in the machine's order. */
            nodes: components["schemas"]["ReportResidencyNode"][];
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: uint64
             * @description Time on CPUs, ns.
             */
            run_ns: number;
            /**
             * Format: uint32
             * @description Row of the table of tasks.
             */
            task: number;
            /**
             * Format: uint64
             * @description Time in waits that lie in the window, ns.
             */
            wait_ns: number;
        };
        /** @description What the rules of one version say of a move to a free CPU. */
        ReportRulesAnswer: {
            /**
             * Format: int64
             * @description `imb_numa_nr`, where they ask.
             */
            imb_numa_nr: number | null;
            /**
             * Format: int64
             * @description The imbalance that they leave; 0 is allowed; `None` where they do not ask.
             */
            imbalance: number | null;
            /** @description What-if, unless the traced kernel has them. */
            label: components["schemas"]["ReportLabel"];
            /** @description What they say. */
            maymove: components["schemas"]["ReportMaymove"];
            /** @description Whether the traced kernel has them. */
            recorded: boolean;
            /** @description First version with these rules; see [`Rules::name`]. */
            rules: string;
        };
        /** @description Microseconds of pressure between the first and the last sample; null where the kernel has no such counter. */
        ReportSampledTotal: {
            /**
             * Format: uint64
             * @description All were.
             */
            full_us: number | null;
            /** @description Always observed. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: uint64
             * @description Some task was delayed.
             */
            some_us: number | null;
        };
        /** @description How bad it is, by its cost as a share of the window's time. */
        ReportSeverity: "low" | "medium" | "high";
        /** @description Dwells shorter than an interval. */
        ReportShorter: {
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: double
             * @description Share of all complete dwells; `None` of none.
             */
            share: number | null;
            /**
             * Format: uint64
             * @description The interval, ns.
             */
            than_ns: number;
        };
        /** @description A CPU that stopped its tick though it is to be balanced before `next_balance`. */
        ReportStaleNextBalance: {
            /**
             * Format: uint32
             * @description The CPU.
             */
            cpu: number;
            /**
             * Format: uint64
             * @description How far `next_balance` is off.
             */
            jiffies: number;
            /** @description How well it is known. */
            label: components["schemas"]["ReportLabel"];
            /**
             * Format: int64
             * @description When, ns.
             */
            t_ns: number;
        };
        /** @description Which fields `sched_stick_numa` has. */
        ReportStickFormat: "seven" | "ten";
        /** @description The waits of a task. */
        ReportTaskWaits: {
            /** @description What they consisted of. */
            causes: components["schemas"]["ReportCauseTime"][];
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint64
             * @description Its wake-ups.
             */
            count: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: uint64
             * @description Waits after a preemption, which are in none of the numbers above.
             */
            preempted: number;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            preempted_ns: number;
            /**
             * Format: uint32
             * @description Row of the table of tasks.
             */
            task: number;
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
        };
        /** @description How a step is known. */
        ReportToldBy: {
            /** @description The events that tell; `made up` when none does. */
            by: string;
            /** @description How well that is. */
            label: components["schemas"]["ReportLabel"];
        };
        /** @description Nodes and CPUs, and how they are known. */
        ReportTopology: {
            /** @description The nodes. */
            nodes: components["schemas"]["ReportTopologyNode"][];
            /** @description `sidecar`, `perf`, `events` or `assumed`. */
            source: string;
        };
        /** @description A NUMA node and its CPUs. */
        ReportTopologyNode: {
            /** @description Its CPUs. */
            cpus: number[];
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
        };
        /** @description A section, or a part of one, without content. */
        ReportUnavailable: {
            /**
             * @description Always false.
             * @constant
             */
            available: false;
            /** @description One sentence: which input is missing. */
            reason: string;
        };
        /** @description Waits of tasks that became runnable without a recorded request, mostly new ones. They are in nothing else. */
        ReportUnrequestedWaits: {
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: uint64
             * @description The longest, ns.
             */
            max_ns: number;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            wait_ns: number;
        };
        /** @description A CPU's time over the whole window, ns. The three add up to the window's length. */
        ReportUtilisationCpu: {
            /**
             * Format: uint64
             * @description With a task.
             */
            busy_ns: number;
            /**
             * Format: uint32
             * @description The CPU.
             */
            cpu: number;
            /**
             * Format: uint64
             * @description With the idle task.
             */
            idle_ns: number;
            /**
             * Format: uint32
             * @description Its node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Nothing is known.
             */
            unknown_ns: number;
        };
        /** @description A node's row of the table. */
        ReportUtilisationNode: {
            /**
             * Format: uint64
             * @description Mean of the cells before they were rounded, rounded the same way.
             */
            average: number;
            /**
             * Format: uint64
             * @description CPU-ns with a task, over the whole window.
             */
            busy_ns: number;
            /**
             * Format: uint64
             * @description CPU-ns with the idle task.
             */
            idle_ns: number;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /** @description Share of its CPUs' time that was busy, in each step: whole percents, halves rounded up. */
            percent: number[];
            /**
             * Format: uint64
             * @description CPU-ns of which nothing is known.
             */
            unknown_ns: number;
        };
        /** @description A section's content and the window that it is about. */
        ReportUtilisationSection: {
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /** @description By CPU, ascending. */
            cpus: components["schemas"]["ReportUtilisationCpu"][];
            /** @description Waiting tasks. */
            depth: components["schemas"]["ReportDepth"];
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /** @description By step of the table. */
            imbalance: components["schemas"]["ReportImbalanceStep"][];
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better. */
            missing: string[];
            /** @description The table: a row per node, a cell per step. */
            nodes: components["schemas"]["ReportUtilisationNode"][];
            /**
             * Format: uint64
             * @description Length of the table's steps, ns.
             */
            step_ns: number;
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
        };
        /** @description Something was printed that the replay does not come to. */
        ReportViolation: {
            /** @description What was compared. */
            check: components["schemas"]["ReportClingCheck"];
            /**
             * Format: uint32
             * @description Where.
             */
            cpu: number;
            /**
             * Format: uint32
             * @description Number of the group.
             */
            group: number;
            /** @description What was printed. */
            printed: string;
            /** @description Why that may be. */
            reason: string;
            /** @description What the replay says. */
            replayed: string;
            /**
             * Format: int64
             * @description When it was printed, ns.
             */
            t_ns: number;
        };
        /** @description A row of the table, in mmtests' order. */
        ReportVmstatName: "alloc_hit" | "alloc_miss" | "interleave_hit" | "alloc_local" | "base_page_range_updates" | "pte_updates" | "pmd_updates" | "hint_faults" | "hint_faults_local" | "hint_local_percent" | "pages_migrated" | "autonuma_cost" | "autonuma_cost_intended";
        /** @description A row and its value. */
        ReportVmstatRow: {
            /** @description mmtests' name for it; none for what mmtests has not. */
            name: string | null;
            /** @description Which one. */
            row: components["schemas"]["ReportVmstatName"];
            /**
             * Format: double
             * @description Its value; `None` when a counter was not read.
             */
            value: number | null;
        };
        /** @description A section's content and the window that it is about. */
        ReportVmstatSection: {
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /**
             * Format: int64
             * @description When the first sample was read, ns.
             */
            sampled_from_ns: number;
            /**
             * Format: int64
             * @description When the last one was, ns.
             */
            sampled_to_ns: number;
            /** @description What they counted. */
            table: components["schemas"]["ReportVmstatTable"];
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
        };
        /** @description The table. */
        ReportVmstatTable: {
            /** @description How good it is: differences of what was read. */
            label: components["schemas"]["ReportLabel"];
            /** @description Counters that were not read, or went back. */
            missing: string[];
            /** @description The rows, in order. */
            rows: components["schemas"]["ReportVmstatRow"][];
        };
        /** @description A long wait. */
        ReportWait: {
            /** @description Who ran on `cpu` during it, the longest first. */
            antagonists: components["schemas"]["ReportAntagonist"][];
            /** @description What the wait consisted of; adds up to it. */
            causes: components["schemas"]["ReportCauseTime"][];
            /** @description Its cgroup, when cgroups are known. */
            cgroup: string | null;
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint32
             * @description Where it got its CPU.
             */
            cpu: number;
            /**
             * Format: uint32
             * @description Where it became runnable.
             */
            from_cpu: number;
            /**
             * Format: uint32
             * @description The node of `cpu`.
             */
            nid: number | null;
            /** @description Who else did. */
            others: components["schemas"]["ReportOtherTasks"] | null;
            /**
             * Format: int32
             * @description Who waited.
             */
            pid: number;
            /**
             * Format: int32
             * @description Its priority, as the kernel counts.
             */
            prio: number;
            /**
             * Format: int64
             * @description When it ended.
             */
            switch_in_ns: number;
            /**
             * Format: uint32
             * @description Row of the table of tasks.
             */
            task: number;
            /**
             * Format: uint64
             * @description `switch_in_ns - waking_ns`.
             */
            wait_ns: number;
            /**
             * Format: int32
             * @description Who was on the CPU that woke it.
             */
            waker_pid: number | null;
            /**
             * Format: int64
             * @description When the wait began: the request, or the preemption.
             */
            waking_ns: number;
        };
        /** @description A section's content and the window that it is about. */
        ReportWaitHeatSection: {
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /**
             * Format: uint
             * @description How many columns, from the window's begin.
             */
            columns: number;
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better. */
            missing: string[];
            /** @description Waits after a preemption. */
            preempted: components["schemas"]["ReportHeatWaits"];
            /**
             * Format: uint64
             * @description Length of a column, ns; the last one may be shorter.
             */
            step_ns: number;
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
            /** @description Wake-ups; those that ended in a column. */
            wakeups: components["schemas"]["ReportHeatWaits"];
        };
        /** @description Why a CPU was idle beside a waiting task. [`ALL`](Self::ALL) is the order in which causes are told. */
        ReportWasteCause: "numa_placement" | "balance_delay" | "affinity";
        /** @description CPU-ns that have a cause. */
        ReportWasteCauseTime: {
            /** @description The cause. */
            cause: components["schemas"]["ReportWasteCause"];
            /**
             * Format: uint64
             * @description CPU-ns.
             */
            ns: number;
        };
        /** @description What a node's waiting tasks missed. */
        ReportWasteNode: {
            /** @description Every cause, in order. */
            causes: components["schemas"]["ReportWasteCauseTime"][];
            /**
             * Format: uint64
             * @description CPU-ns: the sum of the causes.
             */
            cpu_ns: number;
            /**
             * Format: double
             * @description CPU-seconds.
             */
            cpu_seconds: number;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
        };
        /** @description A section's content and the window that it is about. */
        ReportWasteSection: {
            /**
             * Format: double
             * @description The same without tasks that are bound to their CPU; `None` when it is not known which are.
             */
            affine_cpu_seconds: number | null;
            /**
             * @description It is there.
             * @constant
             */
            available?: true;
            /** @description Every cause, in order. */
            causes: components["schemas"]["ReportWasteCauseTime"][];
            /**
             * Format: uint64
             * @description CPU-ns: the sum over the nodes, and over the causes.
             */
            cpu_ns: number;
            /**
             * Format: double
             * @description CPU-seconds.
             */
            cpu_seconds: number;
            /**
             * Format: int64
             * @description Begin of the window, ns.
             */
            from_ns: number;
            /** @description How good it is. */
            label: components["schemas"]["ReportLabel"];
            /** @description What would make it better. */
            missing: string[];
            /** @description Each node's part, by where tasks waited. */
            per_node: components["schemas"]["ReportWasteNode"][];
            /** @description Over time. */
            series: components["schemas"]["ReportWasteSeries"];
            /**
             * Format: int64
             * @description Its end.
             */
            to_ns: number;
        };
        /** @description Waste over time. */
        ReportWasteSeries: {
            /** @description CPU-ns of the machine in each step. */
            cpu_ns: number[];
            /**
             * Format: uint64
             * @description Length of a step, ns; the last one may be shorter.
             */
            step_ns: number;
        };
        /** @description A time in which idle CPUs with an overdue balance stood next to waiting tasks. */
        ReportWasteStretch: {
            /**
             * Format: double
             * @description What it cost.
             */
            cpu_ms: number;
            /**
             * Format: int64
             * @description When it begins, ns.
             */
            from_ns: number;
            /**
             * Format: int64
             * @description When it ends, ns.
             */
            to_ns: number;
        };
        /** @description One line of the table. */
        Reproduced: {
            /** @description Not printed, and in the replay. */
            extra: components["schemas"]["Miss"][];
            /** @description Printed and not reproduced. */
            missed: components["schemas"]["Miss"][];
            /**
             * Format: double
             * @description Reproduced of printed, percent; `None` when nothing was printed.
             */
            percent: number | null;
            /**
             * Format: uint64
             * @description Printed.
             */
            printed: number;
            /**
             * Format: uint64
             * @description Of these, reproduced.
             */
            reproduced: number;
            /**
             * Format: uint64
             * @description Of the reproduced, those that stand more than a jiffy elsewhere in time.
             */
            shifted: number;
        };
        /** @description A section's content and the window that it is about. */
        ReproductionSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description The kernel's lines against their own replay. */
            lines: components["schemas"]["ComparedLines"] | null;
            /** @description Its end. */
            to_ns: string;
            /** @description By what they know. */
            ways: components["schemas"]["Way"][];
        };
        /**
         * RereadAnalysis
         * @description How to read an analysis's files again; what is left out stays as it was.
         */
        RereadAnalysis: {
            /**
             * Offsets
             * @description Shown name of an input to the ns to be added to its own times; replaces all earlier ones.
             */
            offsets?: {
                [key: string]: string;
            } | null;
            /** Tolerant */
            tolerant?: boolean | null;
        };
        /** @description A task's time on a node. */
        ResidencyNode: {
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Time on its CPUs, ns.
             */
            run_ns: number;
        };
        /** @description A section's content and the window that it is about. */
        ResidencySection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /** @description At most as many as asked for. */
            tasks: components["schemas"]["ResidencyTask"][];
            /** @description Its end. */
            to_ns: string;
            /**
             * Format: uint
             * @description How many ran or waited.
             */
            total: number;
        };
        /** @description Where a task ran in a window. */
        ResidencyTask: {
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint32
             * @description On how many CPUs it ran.
             */
            cpus: number;
            /**
             * Format: uint64
             * @description How often it went on on another node than where it last ran.
             */
            migrations_node: number;
            /** @description The nodes where it ran, in the machine's order. */
            nodes: components["schemas"]["ResidencyNode"][];
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: uint64
             * @description Time on CPUs, ns.
             */
            run_ns: number;
            /**
             * Format: uint32
             * @description Row of the table of tasks.
             */
            task: number;
            /**
             * Format: uint64
             * @description Time in waits that lie in the window, ns.
             */
            wait_ns: number;
        };
        /**
         * Revision
         * @description A report as it was saved once.
         */
        Revision: {
            /**
             * Aside
             * @description Saved when its base was no longer the present revision; readers never saw it.
             */
            aside: boolean;
            /**
             * Length
             * @description Characters of the text.
             */
            length: number;
            /** Number */
            number: number;
            /**
             * Saved At
             * Format: date-time
             */
            saved_at: string;
            /** Text */
            text: string;
            /** Title */
            title: string;
        };
        /**
         * RevisionList
         * @description What is kept of a report, newest first.
         */
        RevisionList: {
            /** Revisions */
            revisions: components["schemas"]["ListedRevision"][];
        };
        /** @description What the rules of one version say of a move to a free CPU. */
        RulesAnswer: {
            /**
             * Format: int64
             * @description `imb_numa_nr`, where they ask.
             */
            imb_numa_nr: number | null;
            /**
             * Format: int64
             * @description The imbalance that they leave; 0 is allowed; `None` where they do not ask.
             */
            imbalance: number | null;
            /** @description What-if, unless the traced kernel has them. */
            label: components["schemas"]["Label"];
            /** @description What they say. */
            maymove: components["schemas"]["Maymove"];
            /** @description Whether the traced kernel has them. */
            recorded: boolean;
            /** @description First version with these rules; see [`Rules::name`]. */
            rules: string;
        };
        /**
         * SampleTable
         * @description A table of samples; its rows are at `samples/{table}`.
         */
        SampleTable: {
            /**
             * From Ns
             * @description Time of the first placed row; null when there is none.
             */
            from_ns: string | null;
            /**
             * Placed
             * @description Rows whose time on the analysis's clock is known.
             */
            placed: number;
            /** Rows */
            rows: number;
            /**
             * Table
             * @example psi
             * @example vmstat
             * @example numa_group
             */
            table: string;
            /** To Ns */
            to_ns: string | null;
        };
        /** @description A section's content and the window that it is about. */
        SampledSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Of the cgroups, by path. */
            cgroups: {
                [key: string]: {
                    [key: string]: components["schemas"]["Between"];
                };
            };
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description Of the machine. */
            system: {
                [key: string]: components["schemas"]["Between"];
            };
            /** @description Its end. */
            to_ns: string;
        };
        /**
         * SaveReport
         * @description Other words of a report.
         */
        SaveReport: {
            /**
             * Revision
             * @description The revision that these words began from.
             * @example 3
             */
            revision: number;
            /**
             * Text
             * @description Markdown. A fenced block `numalens timeline` (or `finding`, `table`, `sql`) with the address of a view is drawn as that view.
             * @example Between 16.5 s and 22.6 s the cgroup was throttled.
             *
             *     ```numalens timeline
             *     /a/k5gkx3vhw2d6ymbt?v=2&w=16500000000~22600000000
             *     ```
             */
            text: string;
            /**
             * Title
             * @example Checkout stalled on 3 May
             */
            title: string;
        };
        /**
         * SelectColumn
         * @description A column of an answer.
         */
        SelectColumn: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "integer" | "real" | "text";
            /** Name */
            name: string;
        };
        /** @description How bad it is, by its cost as a share of the window's time. */
        Severity: "low" | "medium" | "high";
        /**
         * Share
         * @description A shared link, as its owner sees it in the list. The token is told once, at creation.
         */
        Share: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Expires At */
            expires_at: string | null;
            /** Id */
            id: string;
            /** Last Opened At */
            last_opened_at: string | null;
            /** May */
            may: ("comment" | "download")[];
            /** Name */
            name: string;
            /**
             * Opened
             * @description How many times the link was opened.
             */
            opened: number;
            /** Revoked */
            revoked: boolean;
            /** View */
            view: string;
        };
        /**
         * ShareList
         * @description The links of an analysis, newest first.
         */
        ShareList: {
            /** Shares */
            shares: components["schemas"]["Share"][];
        };
        /**
         * SharedAnalysis
         * @description A link with the analysis that it opens.
         */
        SharedAnalysis: {
            /** Analysis Id */
            analysis_id: string;
            /** Analysis Title */
            analysis_title: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Expires At */
            expires_at: string | null;
            /** Id */
            id: string;
            /** Last Opened At */
            last_opened_at: string | null;
            /** May */
            may: ("comment" | "download")[];
            /** Name */
            name: string;
            /**
             * Opened
             * @description How many times the link was opened.
             */
            opened: number;
            /** Revoked */
            revoked: boolean;
            /** View */
            view: string;
        };
        /**
         * SharedList
         * @description The links of all analyses, newest first.
         */
        SharedList: {
            /** Shares */
            shares: components["schemas"]["SharedAnalysis"][];
        };
        /** @description Dwells shorter than an interval. */
        Shorter: {
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: double
             * @description Share of all complete dwells; `None` of none.
             */
            share: number | null;
            /**
             * Format: uint64
             * @description The interval, ns.
             */
            than_ns: number;
        };
        /**
         * SignOut
         * @description Which sessions end.
         */
        SignOut: {
            /**
             * Everywhere
             * @description In all browsers of this person, not only in this one.
             * @default false
             */
            everywhere: boolean;
        };
        /**
         * SignedInPerson
         * @description Who is asking, signed in.
         */
        SignedInPerson: {
            /**
             * Admin
             * @description May do everything with every analysis.
             */
            admin: boolean;
            /**
             * Name
             * @description E-mail address or user name.
             */
            name: string;
        };
        /**
         * SignedOut
         * @description The sessions have ended here; what is left to do at the issuer.
         */
        SignedOut: {
            /**
             * Url
             * @description The issuer's page that ends its own session and sends the browser back; null: there is none.
             */
            url: string | null;
        };
        /**
         * SkippedPart
         * @description A part of an input that tolerant reading left out: [from, to) in bytes, or the lines from..to.
         */
        SkippedPart: {
            /**
             * Cpu
             * @description The CPU whose events are missing, when known.
             */
            cpu?: number | null;
            /** From */
            from: number;
            /** To */
            to: number;
            /**
             * Unit
             * @enum {string}
             */
            unit: "byte" | "line";
            /**
             * Why
             * @description One sentence.
             */
            why: string;
        };
        /**
         * Slice
         * @description One stay of a task on a CPU.
         */
        Slice: {
            /** Comm */
            comm: string;
            /** Cpu */
            cpu: number;
            /**
             * Duration Ns
             * @example 172800000000000
             */
            duration_ns: string;
            /** End Known */
            end_known: boolean;
            /**
             * End Ns
             * @example 172800000000000
             */
            end_ns: string;
            /**
             * End State
             * @description State in which the task left: S, R+, D, ...
             */
            end_state: string | null;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Next Comm */
            next_comm: string | null;
            /** Next Pid */
            next_pid: number | null;
            /** Nid */
            nid: number | null;
            /** Pid */
            pid: number;
            /** Prev Comm */
            prev_comm: string | null;
            /** Prev Pid */
            prev_pid: number | null;
            /**
             * Prio
             * @description As the kernel counts: 120 is nice 0.
             */
            prio: number;
            /**
             * Start Known
             * @description False when the switch to the task was not recorded.
             */
            start_known: boolean;
            /**
             * Start Ns
             * @example 172800000000000
             */
            start_ns: string;
            /**
             * Task
             * @description Row of the task table.
             */
            task: number;
            /**
             * Wait From
             * @description What the wait began with.
             */
            wait_from: ("waking" | "wakeup" | "preempted") | null;
            /**
             * Wait Ns
             * @description How long the task waited for the CPU.
             */
            wait_ns: string | null;
            /** Waker Comm */
            waker_comm: string | null;
            /** Waker Pid */
            waker_pid: number | null;
            /** Waking Ns */
            waking_ns: string | null;
        };
        /**
         * Spread
         * @description What the values of a side are together.
         */
        Spread: {
            /**
             * Coefficient Of Variation
             * @description Sample deviation in percent of the mean.
             */
            coefficient_of_variation: number;
            /** First Quartile */
            first_quartile: number;
            /** Harmonic Mean */
            harmonic_mean: number | null;
            /** Max */
            max: number;
            /** Mean */
            mean: number;
            /** Median */
            median: number;
            /** Min */
            min: number;
            /** N */
            n: number;
            /**
             * Population Deviation
             * @description Divided by n.
             */
            population_deviation: number;
            /**
             * Sample Deviation
             * @description Divided by n - 1; null of one value.
             */
            sample_deviation: number | null;
            /** Third Quartile */
            third_quartile: number;
        };
        /**
         * SqlAnswer
         * @description The rows of a query's last statement.
         */
        SqlAnswer: {
            /** Columns */
            columns: components["schemas"]["SqlColumn"][];
            /**
             * Elapsed Ms
             * @description How long the query took, loading not counted.
             */
            elapsed_ms: number;
            /**
             * Notes
             * @description What the trace processor could not read, and what was cut off; to be shown.
             */
            notes: string[];
            /**
             * Rows
             * @description Null; a decimal string in `integer` columns; a number in `real` columns, or `inf`, `-inf`, `nan` as a string; a string in `text` and `mixed` columns; hexadecimal digits in `blob` columns.
             */
            rows: (string | number | null)[][];
            trace: components["schemas"]["SqlTrace"];
            /**
             * Truncated
             * @description There are more rows than these.
             */
            truncated: boolean;
        };
        /**
         * SqlColumn
         * @description A column of the answer; names may stand several times.
         */
        SqlColumn: {
            /**
             * Kind
             * @description Of all values that are returned: `mixed` when they differ, `empty` when there are none but nulls.
             * @enum {string}
             */
            kind: "integer" | "real" | "text" | "blob" | "mixed" | "empty";
            /** Name */
            name: string;
        };
        /**
         * SqlEngine
         * @description The trace processor that answers.
         */
        SqlEngine: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "wasm" | "native";
            /**
             * Name
             * @description What it calls itself.
             */
            name: string;
        };
        /**
         * SqlExample
         * @description A question that works on every analysis.
         */
        SqlExample: {
            /** Sql */
            sql: string;
            /** Title */
            title: string;
        };
        /**
         * SqlExport
         * @description A query whose rows are wanted as a file.
         */
        SqlExport: {
            /**
             * Format
             * @default csv
             * @enum {string}
             */
            format: "csv" | "ndjson" | "arrow";
            /**
             * From Ns
             * @description Absolute ns of the trace's clock.
             */
            from_ns?: string | null;
            /**
             * Sql
             * @description PerfettoSQL, one statement or several; the rows are those of the last.
             * @example SELECT cpu, count(*) AS switches FROM sched GROUP BY cpu
             */
            sql: string;
            /** To Ns */
            to_ns?: string | null;
        };
        /**
         * SqlModule
         * @description A module of NumaLens.
         */
        SqlModule: {
            /** Description */
            description: string;
            /**
             * Name
             * @example numalens.cling
             */
            name: string;
        };
        /**
         * SqlQuestion
         * @description A query, and how many of its rows are wanted.
         */
        SqlQuestion: {
            /**
             * From Ns
             * @description Absolute ns of the trace's clock.
             */
            from_ns?: string | null;
            /**
             * Limit
             * @description Most rows of the answer.
             * @default 1000
             */
            limit: number;
            /**
             * Sql
             * @description PerfettoSQL, one statement or several; the rows are those of the last.
             * @example SELECT cpu, count(*) AS switches FROM sched GROUP BY cpu
             */
            sql: string;
            /** To Ns */
            to_ns?: string | null;
        };
        /**
         * SqlSchema
         * @description What can be asked.
         */
        SqlSchema: {
            engine: components["schemas"]["SqlEngine"];
            /** Examples */
            examples: components["schemas"]["SqlExample"][];
            /**
             * Functions
             * @description Functions besides those that every SQLite has, ascending.
             */
            functions: string[];
            /** Modules */
            modules: components["schemas"]["SqlModule"][];
            /** Tables */
            tables: components["schemas"]["SqlTable"][];
        };
        /**
         * SqlTable
         * @description A table or view that can be asked.
         */
        SqlTable: {
            /** Columns */
            columns: components["schemas"]["SqlTableColumn"][];
            /** Description */
            description: string | null;
            /**
             * Kind
             * @description `ours`: of a module of NumaLens.
             * @enum {string}
             */
            kind: "table" | "view" | "ours";
            /**
             * Module
             * @description What must be included first: `INCLUDE PERFETTO MODULE <module>;`.
             */
            module: string | null;
            /** Name */
            name: string;
        };
        /**
         * SqlTableColumn
         * @description A column of a table or view.
         */
        SqlTableColumn: {
            /** Name */
            name: string;
            /**
             * Type
             * @description Empty when it is computed.
             */
            type: string;
        };
        /**
         * SqlTrace
         * @description The trace that the query was asked of.
         */
        SqlTrace: {
            /**
             * Bytes
             * @description Length of the trace.
             */
            bytes: number;
            /**
             * Events
             * @description Events that the trace processor was given.
             */
            events: number;
            /** From Ns */
            from_ns: string | null;
            /**
             * Load Ms
             * @description How long giving it to the trace processor took.
             */
            load_ms: number;
            /**
             * Loaded
             * @description Whether this query had to wait for that.
             * @enum {string}
             */
            loaded: "now" | "before";
            /** To Ns */
            to_ns: string | null;
        };
        /** @description A CPU that stopped its tick though it is to be balanced before `next_balance`. */
        StaleNextBalance: {
            /**
             * Format: uint32
             * @description The CPU.
             */
            cpu: number;
            /**
             * Format: uint64
             * @description How far `next_balance` is off.
             */
            jiffies: number;
            /** @description How well it is known. */
            label: components["schemas"]["Label"];
            /** @description When, ns. */
            t_ns: string;
        };
        /** @description Which fields `sched_stick_numa` has. */
        StickFormat: "seven" | "ten";
        /**
         * TTest
         * @description mmtests' rule of 2020: a two-sided t test; t and p are null when nothing spreads.
         */
        TTest: {
            /** Df */
            df: number;
            /** P */
            p: number | null;
            /**
             * Significant
             * @description p is below 0.10.
             */
            significant: boolean;
            /** T */
            t: number | null;
        };
        /** @description The waits of a task. */
        TaskWaits: {
            /** @description What they consisted of. */
            causes: components["schemas"]["CauseTime"][];
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint64
             * @description Its wake-ups.
             */
            count: number;
            /**
             * Format: uint8
             * @description How far the percentiles may be above the true ones, percent; 0 when they are exact.
             */
            error_percent: number;
            /**
             * Format: uint64
             * @description The longest, exactly.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half of the waits are at most this long.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 90 % are.
             */
            p90_ns: number | null;
            /**
             * Format: uint64
             * @description 99 % are.
             */
            p99_ns: number | null;
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: uint64
             * @description Waits after a preemption, which are in none of the numbers above.
             */
            preempted: number;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            preempted_ns: number;
            /**
             * Format: uint32
             * @description Row of the table of tasks.
             */
            task: number;
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
        };
        /**
         * TimelineInfo
         * @description What the page needs before its first window query.
         */
        TimelineInfo: {
            /**
             * End Ns
             * @example 172800000000000
             */
            end_ns: string;
            /** Event Counts */
            event_counts: {
                [key: string]: number;
            };
            /** Nodes */
            nodes: components["schemas"]["Node"][];
            /**
             * Notes
             * @description Assumptions made, to be shown.
             */
            notes: string[];
            /**
             * Origin Ns
             * @description Time of the first event; the zero of columnar answers.
             * @example 172800000000000
             */
            origin_ns: string;
            reference?: components["schemas"]["ReferenceClock"] | null;
            /** Samples */
            samples: components["schemas"]["SampleTable"][];
            /**
             * Topology Source
             * @description sidecar, perf, events or assumed.
             */
            topology_source: string;
            /**
             * Window Ns
             * @description The window that all CPUs' buffers have in common.
             */
            window_ns: string[];
        };
        /**
         * Token
         * @description An API token without its secret.
         */
        Token: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Expires At */
            expires_at: string | null;
            /** Id */
            id: string;
            /**
             * Last Used At
             * @description To the minute.
             */
            last_used_at: string | null;
            /** Name */
            name: string;
            /**
             * Person
             * @description Name of for whom it acts; null: for an administrator.
             */
            person: string | null;
            /** Revoked */
            revoked: boolean;
            /**
             * Scope
             * @enum {string}
             */
            scope: "upload" | "owner";
        };
        /**
         * TokenList
         * @description All tokens, newest first.
         */
        TokenList: {
            /** Tokens */
            tokens: components["schemas"]["Token"][];
        };
        /** @description How a step is known. */
        ToldBy: {
            /** @description The events that tell; `made up` when none does. */
            by: string;
            /** @description How well that is. */
            label: components["schemas"]["Label"];
        };
        /** @description A section, or a part of one, without content. */
        Unavailable: {
            /**
             * @description Always false.
             * @constant
             */
            available: false;
            /** @description One sentence: which input is missing. */
            reason: string;
        };
        /** @description Waits of tasks that became runnable without a recorded request, mostly new ones. They are in nothing else. */
        UnrequestedWaits: {
            /**
             * Format: uint64
             * @description How many.
             */
            count: number;
            /**
             * Format: uint64
             * @description The longest, ns.
             */
            max_ns: number;
            /**
             * Format: uint64
             * @description Their sum, ns.
             */
            wait_ns: number;
        };
        /**
         * UpgradeRow
         * @description A metric on both sides, each recording one value.
         */
        UpgradeRow: {
            /**
             * Better
             * @enum {string}
             */
            better: "higher" | "lower" | "neither";
            /** Label */
            label: ("observed" | "replayed" | "inferred" | "what-if") | null;
            /** Metric */
            metric: string;
            /**
             * Percent
             * @description Positive is better; where neither is, positive is more.
             */
            percent: number | null;
            /** Sides */
            sides: components["schemas"]["UpgradeSpread"][];
            /**
             * Significant 2020
             * @description By the rule of February 2020; null with fewer than two recordings on a side.
             */
            significant_2020: boolean | null;
            /**
             * Significant 2024
             * @description By that of November 2024, likewise.
             */
            significant_2024: boolean | null;
            /** Title */
            title: string;
            /** Unit */
            unit: string;
        };
        /**
         * UpgradeSide
         * @description The recordings of one kernel.
         */
        UpgradeSide: {
            /**
             * Analyses
             * @description Ids of the latest of them, few enough to be compared.
             */
            analyses: string[];
            /**
             * First Seen
             * Format: date-time
             */
            first_seen: string;
            /** Kernel */
            kernel: string;
            /**
             * Last Seen
             * Format: date-time
             */
            last_seen: string;
            /** Machines */
            machines: number;
            /** Recordings */
            recordings: number;
        };
        /**
         * UpgradeSpread
         * @description The recordings' values of a side.
         */
        UpgradeSpread: {
            /** Least */
            least: number;
            /** Mean */
            mean: number;
            /** Median */
            median: number;
            /** Most */
            most: number;
            /** Recordings */
            recordings: number;
        };
        /** @description A CPU's time over the whole window, ns. The three add up to the window's length. */
        UtilisationCpu: {
            /**
             * Format: uint64
             * @description With a task.
             */
            busy_ns: number;
            /**
             * Format: uint32
             * @description The CPU.
             */
            cpu: number;
            /**
             * Format: uint64
             * @description With the idle task.
             */
            idle_ns: number;
            /**
             * Format: uint32
             * @description Its node.
             */
            nid: number;
            /**
             * Format: uint64
             * @description Nothing is known.
             */
            unknown_ns: number;
        };
        /** @description A node's row of the table. */
        UtilisationNode: {
            /**
             * Format: uint64
             * @description Mean of the cells before they were rounded, rounded the same way.
             */
            average: number;
            /**
             * Format: uint64
             * @description CPU-ns with a task, over the whole window.
             */
            busy_ns: number;
            /**
             * Format: uint64
             * @description CPU-ns with the idle task.
             */
            idle_ns: number;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
            /** @description Share of its CPUs' time that was busy, in each step: whole percents, halves rounded up. */
            percent: number[];
            /**
             * Format: uint64
             * @description CPU-ns of which nothing is known.
             */
            unknown_ns: number;
        };
        /** @description A section's content and the window that it is about. */
        UtilisationSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description By CPU, ascending. */
            cpus: components["schemas"]["UtilisationCpu"][];
            /** @description Waiting tasks. */
            depth: components["schemas"]["Depth"];
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description By step of the table. */
            imbalance: components["schemas"]["ImbalanceStep"][];
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /** @description The table: a row per node, a cell per step. */
            nodes: components["schemas"]["UtilisationNode"][];
            /**
             * Format: uint64
             * @description Length of the table's steps, ns.
             */
            step_ns: number;
            /** @description Its end. */
            to_ns: string;
        };
        /** @description Something was printed that the replay does not come to. */
        Violation: {
            /** @description What was compared. */
            check: components["schemas"]["ClingCheck"];
            /**
             * Format: uint32
             * @description Where.
             */
            cpu: number;
            /**
             * Format: uint32
             * @description Number of the group.
             */
            group: number;
            /** @description What was printed. */
            printed: string;
            /** @description Why that may be. */
            reason: string;
            /** @description What the replay says. */
            replayed: string;
            /** @description When it was printed, ns. */
            t_ns: string;
        };
        /** @description A row of the table, in mmtests' order. */
        VmstatName: "alloc_hit" | "alloc_miss" | "interleave_hit" | "alloc_local" | "base_page_range_updates" | "pte_updates" | "pmd_updates" | "hint_faults" | "hint_faults_local" | "hint_local_percent" | "pages_migrated" | "autonuma_cost" | "autonuma_cost_intended";
        /** @description A row and its value. */
        VmstatRow: {
            /** @description mmtests' name for it; none for what mmtests has not. */
            name: string | null;
            /** @description Which one. */
            row: components["schemas"]["VmstatName"];
            /**
             * Format: double
             * @description Its value; `None` when a counter was not read.
             */
            value: number | null;
        };
        /** @description A section's content and the window that it is about. */
        VmstatSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description When the first sample was read, ns. */
            sampled_from_ns: string;
            /** @description When the last one was, ns. */
            sampled_to_ns: string;
            /** @description What they counted. */
            table: components["schemas"]["VmstatTable"];
            /** @description Its end. */
            to_ns: string;
        };
        /** @description The table. */
        VmstatTable: {
            /** @description How good it is: differences of what was read. */
            label: components["schemas"]["Label"];
            /** @description Counters that were not read, or went back. */
            missing: string[];
            /** @description The rows, in order. */
            rows: components["schemas"]["VmstatRow"][];
        };
        /** @description A long wait. */
        Wait: {
            /** @description Who ran on `cpu` during it, the longest first. */
            antagonists: components["schemas"]["Antagonist"][];
            /** @description What the wait consisted of; adds up to it. */
            causes: components["schemas"]["CauseTime"][];
            /** @description Its cgroup, when cgroups are known. */
            cgroup: string | null;
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint32
             * @description Where it got its CPU.
             */
            cpu: number;
            /**
             * Format: uint32
             * @description Where it became runnable.
             */
            from_cpu: number;
            /**
             * Format: uint32
             * @description The node of `cpu`.
             */
            nid: number | null;
            /** @description Who else did. */
            others: components["schemas"]["OtherTasks"] | null;
            /**
             * Format: int32
             * @description Who waited.
             */
            pid: number;
            /**
             * Format: int32
             * @description Its priority, as the kernel counts.
             */
            prio: number;
            /** @description When it ended. */
            switch_in_ns: string;
            /**
             * Format: uint32
             * @description Row of the table of tasks.
             */
            task: number;
            /**
             * Format: uint64
             * @description `switch_in_ns - waking_ns`.
             */
            wait_ns: number;
            /**
             * Format: int32
             * @description Who was on the CPU that woke it.
             */
            waker_pid: number | null;
            /** @description When the wait began: the request, or the preemption. */
            waking_ns: string;
        };
        /** @description A section's content and the window that it is about. */
        WaitHeatSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /**
             * Format: uint
             * @description How many columns, from the window's begin.
             */
            columns: number;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /** @description Waits after a preemption. */
            preempted: components["schemas"]["HeatWaits"];
            /**
             * Format: uint64
             * @description Length of a column, ns; the last one may be shorter.
             */
            step_ns: number;
            /** @description Its end. */
            to_ns: string;
            /** @description Wake-ups; those that ended in a column. */
            wakeups: components["schemas"]["HeatWaits"];
        };
        /** @description How many waits were how long. */
        WaitHistogram: {
            /** @description Percent of all that were in a bin or below it; empty without any. */
            at_most_percent: number[];
            /** @description Waits in each bin: one more than there are edges. */
            counts: number[];
            /** @description Upper edge of each bin but the last, ns; a wait on an edge is above it. The first bin begins at 0. */
            edges_ns: number[];
            /** @description The same in percent of all; empty without any. */
            percent: number[];
        };
        /** @description A move of the task to another CPU during its wait (`sched_migrate_task`). */
        WaitMove: {
            /**
             * Format: uint32
             * @description The CPU that moved it.
             */
            by_cpu: number;
            /**
             * Format: uint32
             * @description Where from.
             */
            from_cpu: number;
            /** @description When. */
            t_ns: string;
            /**
             * Format: uint32
             * @description Where to.
             */
            to_cpu: number;
        };
        /** @description Who ran on the task's CPU meanwhile. */
        WaitRunner: {
            /** @description Its name. */
            comm: string;
            /**
             * Format: uint64
             * @description How many stays on the CPU it is.
             */
            count: number;
            /**
             * Format: uint32
             * @description Where.
             */
            cpu: number;
            /** @description From when, not before the wait. */
            from_ns: string;
            /**
             * Format: int32
             * @description Its numa group, if it is known.
             */
            numa_group: number | null;
            /**
             * Format: int32
             * @description Who.
             */
            pid: number;
            /**
             * Format: uint64
             * @description Their time, which is the whole of it if it is one.
             */
            run_ns: number;
            /**
             * Format: uint32
             * @description Row of the table of tasks: who ran longest.
             */
            task: number;
            /**
             * Format: uint
             * @description How many tasks there are in it.
             */
            tasks: number;
            /** @description Until when, not beyond the wait. */
            to_ns: string;
        };
        /** @description A section's content and the window that it is about. */
        WaitSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description What began it: `waking`, `wakeup` or `preempted`. */
            began: string;
            /** @description Who woke it, who woke that one, and so on; times go back. */
            chain: components["schemas"]["WakeHop"][];
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description CPUs that were idle, by their numbers. */
            idle_cpus: components["schemas"]["IdleCpu"][];
            /**
             * Format: uint64
             * @description CPUs that were idle and are not told.
             */
            idle_cpus_more: number;
            /** @description How well it is known which idle CPUs could have taken the task. */
            idle_label: components["schemas"]["Label"];
            /** @description What would make it better. */
            idle_missing: string[];
            /** @description By node, in the machine's order. */
            idle_nodes: components["schemas"]["IdleNode"][];
            /** @description How good causes and runners are. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /** @description How it moved. */
            moves: components["schemas"]["WaitMove"][];
            /**
             * Format: uint64
             * @description Moves that are not told.
             */
            moves_more: number;
            /**
             * Format: int32
             * @description Its numa group, if it is known.
             */
            numa_group: number | null;
            /** @description Who ran on its CPU meanwhile, in order of time. */
            runners: components["schemas"]["WaitRunner"][];
            /** @description What it was spent on, one part after the other without a hole. */
            segments: components["schemas"]["WaitSegment"][];
            /** @description In which state it slept. */
            slept_in: string | null;
            /** @description When the sleep that the wait ended began; `None` when it did not sleep or nothing tells. */
            slept_ns: string | null;
            /** @description Why it ends there. */
            stop: components["schemas"]["WakeChainStop"];
            /** @description Where the task was. */
            stretches: components["schemas"]["WaitStretch"][];
            /** @description Its end. */
            to_ns: string;
            /** @description The wait. */
            wait: components["schemas"]["Wait"];
        };
        /** @description A part of a wait that was spent on one cause, or several short ones together. */
        WaitSegment: {
            /** @description What it was spent on; adds up to its length. */
            causes: components["schemas"]["CauseTime"][];
            /**
             * Format: uint64
             * @description How many parts it is.
             */
            count: number;
            /** @description From when. */
            from_ns: string;
            /** @description Until when; the next one begins there. */
            to_ns: string;
        };
        /** @description Where the task was during a part of its wait. */
        WaitStretch: {
            /**
             * Format: uint32
             * @description The CPU.
             */
            cpu: number;
            /** @description From when. */
            from_ns: string;
            /**
             * Format: uint32
             * @description Its node.
             */
            nid: number | null;
            /** @description On its queue; else about to come there. */
            queued: boolean;
            /** @description Until when. */
            to_ns: string;
        };
        /** @description The wake-up waits that ended in a window. Nearest-rank percentiles. */
        WaitWindow: {
            /** @description Begin. */
            from_ns: string;
            /**
             * Format: uint64
             * @description The longest.
             */
            max_ns: number | null;
            /**
             * Format: uint64
             * @description Half of them were at most so long; `None` without any.
             */
            p50_ns: number | null;
            /**
             * Format: uint64
             * @description 99 of 100.
             */
            p99_ns: number | null;
            /**
             * Format: uint64
             * @description Their sum.
             */
            wait_ns: number;
            /**
             * Format: uint64
             * @description How many waits.
             */
            wakeups: number;
        };
        /** @description A section's content and the window that it is about. */
        WaitWindowsSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description All waits by length, those outside the whole windows too. */
            histogram: components["schemas"]["WaitHistogram"];
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /**
             * Format: uint64
             * @description Length of a window, ns.
             */
            step_ns: number;
            /** @description Its end. */
            to_ns: string;
            /**
             * Format: uint64
             * @description How many.
             */
            wakeups: number;
            /** @description The windows, ascending. */
            windows: components["schemas"]["WaitWindow"][];
        };
        /** @description A section's content and the window that it is about. */
        WaitsSection: {
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /**
             * Format: uint64
             * @description How many there are, listed or not.
             */
            count: number;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /** @description Its end. */
            to_ns: string;
            /**
             * Format: uint64
             * @description The sum of their waits, ns.
             */
            wait_ns: number;
            /** @description The longest. */
            waits: components["schemas"]["Wait"][];
        };
        /** @description Why the chain of wake-ups goes back no further. */
        WakeChainStop: "interrupt" | "softirq" | "idle" | "ran_already" | "preempted" | "limit" | "not_recorded" | "lost_events";
        /** @description What a CPU was doing when it asked. */
        WakeContext: "task" | "idle" | "softirq" | "interrupt" | "unknown";
        /** @description One who woke the one before. */
        WakeHop: {
            /** @description Its name. */
            comm: string | null;
            /** @description What that CPU was doing. */
            context: components["schemas"]["WakeContext"];
            /**
             * Format: uint32
             * @description The CPU that asked.
             */
            cpu: number;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /**
             * Format: uint32
             * @description Its node.
             */
            nid: number | null;
            /**
             * Format: int32
             * @description Who was on the CPU that asked; in an interrupt a bystander. `None` when not recorded.
             */
            pid: number | null;
            /**
             * Format: uint64
             * @description How long it was off the CPU by preemption until it asked.
             */
            preempted_ns: number;
            /** @description When it got a CPU after that. */
            ran_ns: string | null;
            /** @description In which state it slept, as the kernel prints it. */
            slept_in: string | null;
            /** @description When its own sleep began; `None` when not recorded. */
            slept_ns: string | null;
            /** @description When it asked for the wake-up. */
            t_ns: string;
            /**
             * Format: uint64
             * @description `ran_ns - woken_ns`: its own wait.
             */
            wait_ns: number | null;
            /** @description When its own wake-up was asked for. */
            woken_ns: string | null;
        };
        /** @description Why a CPU was idle beside a waiting task. [`ALL`](Self::ALL) is the order in which causes are told. */
        WasteCause: "numa_placement" | "balance_delay" | "affinity";
        /** @description CPU-ns that have a cause. */
        WasteCauseTime: {
            /** @description The cause. */
            cause: components["schemas"]["WasteCause"];
            /**
             * Format: uint64
             * @description CPU-ns.
             */
            ns: number;
        };
        /** @description What a node's waiting tasks missed. */
        WasteNode: {
            /** @description Every cause, in order. */
            causes: components["schemas"]["WasteCauseTime"][];
            /**
             * Format: uint64
             * @description CPU-ns: the sum of the causes.
             */
            cpu_ns: number;
            /**
             * Format: double
             * @description CPU-seconds.
             */
            cpu_seconds: number;
            /**
             * Format: uint32
             * @description The node.
             */
            nid: number;
        };
        /** @description A section's content and the window that it is about. */
        WasteSection: {
            /**
             * Format: double
             * @description The same without tasks that are bound to their CPU; `None` when it is not known which are.
             */
            affine_cpu_seconds: number | null;
            /**
             * @description It is there.
             * @constant
             */
            available: true;
            /** @description Every cause, in order. */
            causes: components["schemas"]["WasteCauseTime"][];
            /**
             * Format: uint64
             * @description CPU-ns: the sum over the nodes, and over the causes.
             */
            cpu_ns: number;
            /**
             * Format: double
             * @description CPU-seconds.
             */
            cpu_seconds: number;
            /** @description Begin of the window, ns. */
            from_ns: string;
            /** @description How good it is. */
            label: components["schemas"]["Label"];
            /** @description What would make it better. */
            missing: string[];
            /** @description Each node's part, by where tasks waited. */
            per_node: components["schemas"]["WasteNode"][];
            /** @description Over time. */
            series: components["schemas"]["WasteSeries"];
            /** @description Its end. */
            to_ns: string;
        };
        /** @description Waste over time. */
        WasteSeries: {
            /** @description CPU-ns of the machine in each step. */
            cpu_ns: number[];
            /**
             * Format: uint64
             * @description Length of a step, ns; the last one may be shorter.
             */
            step_ns: number;
        };
        /** @description A time in which idle CPUs with an overdue balance stood next to waiting tasks. */
        WasteStretch: {
            /**
             * Format: double
             * @description What it cost.
             */
            cpu_ms: number;
            /** @description When it begins, ns. */
            from_ns: string;
            /** @description When it ends, ns. */
            to_ns: string;
        };
        /** @description A replay that knows less than there is. */
        Way: {
            /** @description What it knows. */
            knowing: string;
            /** @description How much of the printed lines it comes to. */
            printed: components["schemas"]["FromEvents"] | null;
            /** @description How it comes to the readings. */
            readings: components["schemas"]["Readings"] | null;
        };
        /**
         * WorstFinding
         * @description The costliest finding of the gravest kind, and where it is.
         */
        WorstFinding: {
            /** Analysis */
            analysis: string;
            /** Cost Ms */
            cost_ms: number;
            /** Kind */
            kind: string;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Severity
             * @enum {string}
             */
            severity: "high" | "medium" | "low";
            /** Title */
            title: string;
        };
        /**
         * WrittenReport
         * @description A report as readers see it.
         */
        WrittenReport: {
            /**
             * Changed At
             * Format: date-time
             */
            changed_at: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Id
             * @example r4gkx3vhw2d6ymbt
             */
            id: string;
            /**
             * Revision
             * @description Number of the revision that readers see.
             * @example 3
             */
            revision: number;
            /**
             * Text
             * @description Markdown.
             * @example Between 16.5 s and 22.6 s the cgroup was throttled.
             *
             *     ```numalens timeline
             *     /a/k5gkx3vhw2d6ymbt?v=2&w=16500000000~22600000000
             *     ```
             */
            text: string;
            /** Title */
            title: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAnalyses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalysisList"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createAnalysis: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAnalysis"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analysis"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getAnalysis: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalysisDetail"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteAnalysis: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    changeAnalysis: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeAnalysis"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analysis"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createCopy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCopy"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analysis"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getEventRows: {
        parameters: {
            query?: {
                /** @description Conditions joined by `&&` (`and`), `||` (`or`), `!` (`not`) and parentheses: `field == value`, `!=`, `<`, `<=`, `>`, `>=`, `field ~ pattern`, `!~`, `field in 0-3,7`. Fields are `event`, `system`, `cpu`, `ts_ns` and those of the events. Numbers may end in `ns`, `us`, `ms`, `s`; a pattern with `*` or `?` must fit the whole text, another is looked for in it; text that is no single word stands in double quotes. An event without the field does not fit the condition. Empty: every event. */
                filter?: string;
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description What the page before gave as `next_page`. */
                after?: string | null;
                /** @description Most events of the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    exportEventRows: {
        parameters: {
            query?: {
                /** @description Conditions joined by `&&` (`and`), `||` (`or`), `!` (`not`) and parentheses: `field == value`, `!=`, `<`, `<=`, `>`, `>=`, `field ~ pattern`, `!~`, `field in 0-3,7`. Fields are `event`, `system`, `cpu`, `ts_ns` and those of the events. Numbers may end in `ns`, `us`, `ms`, `s`; a pattern with `*` or `?` must fit the whole text, another is looked for in it; text that is no single word stands in double quotes. An event without the field does not fit the condition. Empty: every event. */
                filter?: string;
                format?: "csv" | "ndjson" | "arrow";
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The columns or rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.arrow.stream": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    exportEvents: {
        parameters: {
            query?: {
                format?: "csv" | "ndjson" | "arrow";
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
            };
            header?: never;
            path: {
                /** @description Name of an event, or system:name. */
                event: string;
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The columns or rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.arrow.stream": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    handOver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HandOver"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteList"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateNote"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedNote"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The note's own secret; an owner needs none. */
                "X-NumaLens-Note"?: string | null;
            };
            path: {
                note_id: string;
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    changeNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The note's own secret; an owner needs none. */
                "X-NumaLens-Note"?: string | null;
            };
            path: {
                note_id: string;
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeNote"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listPeople: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    putPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutMember"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    removePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                person_id: string;
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    watchProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `progress` events with a ProgressEvent, then one `ready` or `failed` with the Analysis. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report; its moments are numbers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listWrittenReports: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportList"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createWrittenReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateReport"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReport"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getWrittenReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a report. */
                report_id: string;
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReport"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteWrittenReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
                /** @description Id of a report. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    saveWrittenReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
                /** @description Id of a report. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveReport"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenReport"];
                };
            };
            /** @description Somebody saved meanwhile. The words are kept as the revision `error.kept`; readers see `error.revision`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": {
                     *         "kept": 5,
                     *         "revision": 4,
                     *         "sentence": "Somebody saved this report meanwhile: readers see revision 4, yours is kept as revision 5."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listRevisions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
                /** @description Id of a report. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionList"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getRevision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
                /** @description Id of a report. */
                report_id: string;
                /** @description Number of a revision. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    rereadAnalysis: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RereadAnalysis"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analysis"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    exportSamples: {
        parameters: {
            query?: {
                format?: "csv" | "ndjson" | "arrow";
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
            };
            header?: never;
            path: {
                /** @description Name of a sample table, such as psi. */
                table: string;
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The columns or rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.arrow.stream": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getCling: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description What if cling's degree had been this, percent. */
                degree?: number;
                /** @description What makes tasks a numa group: what was recorded, or as if each cgroup had been given one. */
                groups?: "recorded" | "cgroup";
                /** @description Most entries of each list. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClingSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getFindings: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Jiffies per second in place of what the recording tells. */
                hz?: number;
                /** @description Rules of this kernel version in place of those of the traced kernel. */
                psi_rules?: "4.20" | "5.7" | "5.14" | "5.17" | "6.4";
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingsSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getIdleBalancing: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Most entries of each list. */
                limit?: number;
                /** @description The version that is shown: 2011 without or with the patch, or 5.2 and later; by the kernel unless given. */
                model?: "auto" | "2011" | "2011-patched" | "modern";
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdleBalancingSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getLatency: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Most entries of each list. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LatencySection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getNumaBalancing: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Most entries of each list. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NumaBalancingSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getPageMigration: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description How long a task must stay for its pages to be worth the way, ns; 1 s unless given. */
                amortisation_ns?: number;
                /** @description Migration interval of the what-if, s; 30 unless given. */
                interval_s?: number;
                /** @description Length of a step, ns. */
                step_ns?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageMigrationSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getPlacement: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Most numa groups that get rows of their own; the others share one. */
                limit?: number;
                /** @description Length of a step, ns. */
                step_ns?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlacementSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getPsi: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Jiffies per second in place of what the recording tells. */
                hz?: number;
                /** @description Rules of this kernel version in place of those of the traced kernel. */
                psi_rules?: "4.20" | "5.7" | "5.14" | "5.17" | "6.4";
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PressureSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getResidency: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Most entries of each list. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResidencySection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getUtilisation: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Length of a step, ns. */
                step_ns?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UtilisationSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getVmstat: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VmstatSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getWait: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Where it got its CPU. */
                cpu?: number;
                /** @description Who waited. */
                pid?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getWaitHeat: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Columns at most. */
                columns?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitHeatSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getWaits: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Waits of less than this length, ns. */
                below_ns?: number;
                /** @description Waits that end from here on, ns of the trace's clock. */
                ended_from_ns?: number;
                /** @description Waits that end before this moment, ns of the trace's clock. */
                ended_to_ns?: number;
                /** @description Waits that began with a wake-up or with a preemption. */
                kind?: "wakeups" | "preempted";
                /** @description Waits of at least this length, ns. */
                least_ns?: number;
                /** @description Most entries of the list. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitsSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getWaste: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
                /** @description Length of a step, ns. */
                step_ns?: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The section, or why there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WasteSection"] | components["schemas"]["Unavailable"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listShares: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareList"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateShare"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedShare"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    revokeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
                share_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    changeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
                share_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeShare"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Share"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getSlice: {
        parameters: {
            query: {
                cpu: number;
                /** @description Absolute ns of the trace's clock. */
                t_ns: number;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Slice"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getNextSlice: {
        parameters: {
            query: {
                pid: number;
                /** @description Absolute ns of the trace's clock. */
                t_ns: number;
                dir?: "next" | "prev";
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Slice"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    querySql: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SqlQuestion"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    exportSql: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SqlExport"];
            };
        };
        responses: {
            /** @description The columns or rows. */
            200: {
                headers: {
                    /** @description `true` when there are more rows. */
                    "X-Truncated"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.arrow.stream": string;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getSqlSchema: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    takeBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getTasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The columns or rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getTimeline: {
        parameters: {
            query: {
                /** @description Absolute ns of the trace's clock. */
                from_ns: number;
                /** @description Absolute ns of the trace's clock. */
                to_ns: number;
                /** @description Width of the picture in pixels. */
                px: number;
                /** @description Comma separated: `node:<nid>` or `cpu:<number>`. */
                lanes: string;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The columns or rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    exportTrace: {
        parameters: {
            query?: {
                /** @description Absolute ns of the trace's clock. */
                from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                to_ns?: number | null;
            };
            header?: never;
            path: {
                /** @description Id of an analysis. */
                analysis_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The columns or rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getComparison: {
        parameters: {
            query: {
                /** @description Ids of analyses: `,` between sides, `:` between the runs of one side. */
                ids: string;
                /** @description Side that the others are compared with. */
                base?: number;
                /** @description Length of a step in ns; a window may have 8,192 of them. */
                step_ns?: number | null;
                /** @description Window of one analysis, `<position>:<from_ns>-<to_ns>`, in place of its common one. */
                window?: string[] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparisonAnswer"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getFleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetOverview"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getFleetFindings: {
        parameters: {
            query?: {
                every?: "day" | "week" | "month" | "all";
                /** @description Recordings from this moment on (of recording; of upload where no input tells it). */
                from?: string | null;
                /** @description Recordings before this moment. */
                to?: string | null;
                machine?: string | null;
                kernel?: string | null;
                tag?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetFindings"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getFleetMachines: {
        parameters: {
            query?: {
                /** @description Recordings from this moment on (of recording; of upload where no input tells it). */
                from?: string | null;
                /** @description Recordings before this moment. */
                to?: string | null;
                machine?: string | null;
                kernel?: string | null;
                tag?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetMachines"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getFleetMetric: {
        parameters: {
            query: {
                metric: string;
                /** @description What makes a group; a recording with several tags is in several. */
                by?: "all" | "machine" | "kernel" | "tag" | "incident" | "nodes";
                /** @description Length of a period, UTC; weeks begin on Monday. */
                every?: "day" | "week" | "month" | "all";
                /** @description Recordings from this moment on (of recording; of upload where no input tells it). */
                from?: string | null;
                /** @description Recordings before this moment. */
                to?: string | null;
                machine?: string | null;
                kernel?: string | null;
                tag?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetSeries"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    queryFleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetSelect"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetRows"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getFleetUpgrade: {
        parameters: {
            query?: {
                before?: string | null;
                after?: string | null;
                /** @description Recordings from this moment on (of recording; of upload where no input tells it). */
                from?: string | null;
                /** @description Recordings before this moment. */
                to?: string | null;
                machine?: string | null;
                kernel?: string | null;
                tag?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetUpgrade"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Info"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listAllShares: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedList"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    openShare: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenShare"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenedShare"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    beginSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginSignIn"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BegunSignIn"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    finishSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FinishSignIn"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FinishedSignIn"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignOut"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateToken"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Size of the file in bytes. */
                "upload-length"?: string | null;
                /** @description `filename <base64>`, further pairs after commas. */
                "upload-metadata"?: string | null;
                /** @description 1.0.0 */
                "Tus-Resumable"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    describeUploads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1.0.0 */
                "Tus-Resumable"?: string | null;
            };
            path: {
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getUploadOffset: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1.0.0 */
                "Tus-Resumable"?: string | null;
            };
            path: {
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    appendToUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Where the body begins; must be what HEAD tells. */
                "upload-offset"?: string | null;
                /** @description application/offset+octet-stream */
                "content-type"?: string | null;
                /** @description 1.0.0 */
                "Tus-Resumable"?: string | null;
            };
            path: {
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error, in one sentence. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
}

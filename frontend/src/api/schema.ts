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
    "/api/v1/analyses/{analysis_id}/analysis/balancing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Balancing
         * @description Attempts of the NUMA balancer to place tasks: the Ops table, how they ended, and what each met.
         */
        get: operations["getBalancing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/analysis/cling": {
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
    "/api/v1/analyses/{analysis_id}/analysis/findings": {
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
    "/api/v1/analyses/{analysis_id}/analysis/ilb": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Ilb
         * @description The nohz idle load balancer: kicks, passes, idle time, and three of its versions beside each other.
         *
         *     Its states are replayed from the recording's begin on; what is told is of the window.
         */
        get: operations["getIlb"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/analysis/latency": {
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
    "/api/v1/analyses/{analysis_id}/analysis/migration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Migration
         * @description Whether memory followed the CPUs or the CPUs the memory, and the statistics of auto-migration where sampled.
         */
        get: operations["getMigration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/analysis/placement": {
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
    "/api/v1/analyses/{analysis_id}/analysis/psi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Pressure
         * @description Pressure: replayed totals and averages, the kernel's own samples beside them, and the residual.
         *
         *     The window is the one that all CPUs' buffers have in common unless the query says otherwise. A series has at most 2,001
         *     points. 409 until the analysis is ready.
         */
        get: operations["getPressure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analyses/{analysis_id}/analysis/residency": {
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
    "/api/v1/analyses/{analysis_id}/analysis/utilisation": {
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
    "/api/v1/analyses/{analysis_id}/analysis/vmstat": {
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
    "/api/v1/analyses/{analysis_id}/analysis/wait": {
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
    "/api/v1/analyses/{analysis_id}/analysis/wait_heat": {
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
    "/api/v1/analyses/{analysis_id}/analysis/waits": {
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
    "/api/v1/analyses/{analysis_id}/analysis/waste": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Waste
         * @description CPU time that was idle beside waiting tasks, and why.
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
         * @description The analysis as `numalens.report/1`, the same as `numalens analyze --json` writes. 409 until it is ready.
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
        /**
         * Annotation
         * @description A decision of cling, a change of a busy node, a resettling.
         */
        Annotation: {
            /**
             * After Parting
             * @description A what-if behind the first moment that would have gone otherwise.
             */
            after_parting: boolean;
            by: components["schemas"]["DecidedBy"];
            /**
             * Dnid
             * @description Where it was to go; -1 for none.
             */
            dnid: number;
            /**
             * Function
             * @description The kernel's.
             */
            function: string;
            /**
             * Group
             * @description Number of the group.
             */
            group: number;
            /**
             * Kind
             * @example load_balance
             * @example wake_affine
             * @example swap
             * @example busy
             * @example memory
             */
            kind: string;
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
             * Outcome
             * @example clings
             * @example released
             * @example busy
             * @example not_busy
             */
            outcome: string;
            /** Pid */
            pid: number | null;
            /**
             * Snid
             * @description Where the task or the memory was; -1 for none.
             */
            snid: number;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
        };
        /**
         * Antagonist
         * @description A task that ran while another waited for its CPU.
         */
        Antagonist: {
            /** Comm */
            comm: string;
            /** Ns */
            ns: number;
            /** Pid */
            pid: number;
            /** Task */
            task: number;
        };
        /**
         * Attempt
         * @description An attempt of the NUMA balancer to bring a task to its preferred node.
         */
        Attempt: {
            /** Comm */
            comm: string;
            /**
             * Cpu
             * @description CPU of its first event.
             */
            cpu: number;
            /** Dst Cpu */
            dst_cpu: number;
            /** Dst Nid */
            dst_nid: number;
            /**
             * End Ns
             * @example 172800000000000
             */
            end_ns: string;
            explanation: components["schemas"]["Explanation"] | null;
            /**
             * Failed
             * @description Null when not known.
             */
            failed: boolean | null;
            /**
             * Ngid
             * @description Numa group as printed; 0 for none, -1 when nothing printed it.
             */
            ngid: number;
            partner: components["schemas"]["Partner"] | null;
            /** Partner Comm */
            partner_comm: string | null;
            /** Pid */
            pid: number;
            /**
             * Ret
             * @description What task_numa_migrate returned, where a probe tells.
             */
            ret: number | null;
            /**
             * Src Cpu
             * @description -1 when unknown, as all of the following.
             */
            src_cpu: number;
            /** Src Nid */
            src_nid: number;
            /**
             * Start Ns
             * @example 172800000000000
             */
            start_ns: string;
            /**
             * Target From
             * @description How that is known.
             * @example two_nodes
             */
            target_from: string;
            /**
             * Target Nid
             * @description The preferred node.
             */
            target_nid: number;
            /**
             * Tgid
             * @description 0 when unknown.
             */
            tgid: number;
            /**
             * Verdict
             * @example moved
             * @example swapped
             * @example no_cpu
             */
            verdict: string;
        };
        /**
         * AutomigRow
         * @description A row of the statistics and what follows from it.
         */
        AutomigRow: {
            /** Beyond Misplaced */
            beyond_misplaced: number;
            /**
             * Cached
             * @description Entries in the migration cache.
             */
            cached: number;
            /**
             * Counters
             * @description The eleven counters since boot.
             */
            counters: {
                [key: string]: number;
            };
            /** Never Cached */
            never_cached: number;
            /** References */
            references: number;
            /**
             * Shared
             * @description References beyond each entry's first.
             */
            shared: number;
            /** T Ns */
            t_ns: string | null;
        };
        /**
         * AutomigTable
         * @description The statistics of auto-migration, judged.
         */
        AutomigTable: {
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Laws */
            laws: components["schemas"]["LawCheck"][];
            leak: components["schemas"]["Leak"] | null;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /**
             * Ratios
             * @description Of the last row's counts since boot.
             */
            ratios: {
                [key: string]: number | null;
            } | null;
            /** Rows */
            rows: components["schemas"]["AutomigRow"][];
            /**
             * Window
             * @description Of what was counted between first and last row.
             */
            window: {
                [key: string]: number | null;
            } | null;
        };
        /**
         * BalancingRules
         * @description The traced kernel's rules for moves between nodes.
         */
        BalancingRules: {
            /** Allowance */
            allowance: string;
            /** Classifier */
            classifier: string;
            /**
             * Name
             * @description First version with these rules.
             */
            name: string;
            /** Sd Imbalance Pct */
            sd_imbalance_pct: number;
        };
        /**
         * BalancingSection
         * @description Attempts of the NUMA balancer and what became of them.
         */
        BalancingSection: {
            /**
             * Attempts
             * @description The first of the window.
             */
            attempts: components["schemas"]["Attempt"][];
            /**
             * Attempts More
             * @description How many more there are.
             */
            attempts_more: number;
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * Counts
             * @description How much the recording has of each kind of event.
             */
            counts: {
                [key: string]: number;
            };
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            ops: components["schemas"]["Ops"];
            per_node: components["schemas"]["PerNode"];
            rules: components["schemas"]["BalancingRules"];
            /**
             * Rules Assumed
             * @description The kernel's version is not known.
             */
            rules_assumed: boolean;
            /**
             * Sources
             * @description Which kinds of events it has.
             */
            sources: {
                [key: string]: boolean | string | null;
            };
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
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
        /**
         * BusyInterval
         * @description A stretch in which a node was busy for a group.
         */
        BusyInterval: {
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /** Nid */
            nid: number;
            /**
             * To Ns
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * BusyNode
         * @description A node's row of the per-node table.
         */
        BusyNode: {
            /** Average */
            average: number;
            /** Nid */
            nid: number;
            /** Percent */
            percent: number[];
        };
        /**
         * CauseTime
         * @description How much of a time has a cause.
         */
        CauseTime: {
            /**
             * Cause
             * @description A name; more may come.
             * @example busy
             * @example idle_same_node
             * @example idle_other_node
             * @example idle_exit
             * @example pinned
             * @example numa_placement
             */
            cause: string;
            /** Ns */
            ns: number;
        };
        /**
         * CgroupWaits
         * @description The waits of a cgroup's tasks.
         */
        CgroupWaits: {
            /**
             * Causes
             * @description What that time went to.
             */
            causes: components["schemas"]["CauseTime"][];
            /** Cgroup */
            cgroup: string;
            /** Count */
            count: number;
            /**
             * Error Percent
             * @description How far percentiles may be too high; 0 when they are exact.
             */
            error_percent: number;
            /** Max Ns */
            max_ns: number | null;
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /**
             * Preempted
             * @description Waits after a preemption, which are in none of the other numbers.
             */
            preempted: number;
            /** Preempted Ns */
            preempted_ns: number;
            /**
             * Wait Ns
             * @description All of them together.
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
        /**
         * Checked
         * @description How many lines of a kind were compared with the replay.
         */
        Checked: {
            /**
             * Adopted
             * @description Told for the first time, so that there is nothing to compare with.
             */
            adopted: number;
            /** Check */
            check: string;
            /** Compared */
            compared: number;
            /** Exact */
            exact: number;
            /**
             * Near
             * @description As replayed shortly before or after: read without the group's lock.
             */
            near: number;
        };
        /**
         * CheckedLines
         * @description What the kernel printed, compared with the replay.
         */
        CheckedLines: {
            /** Kinds */
            kinds: components["schemas"]["Checked"][];
            /**
             * Violations
             * @description The first of the window.
             */
            violations: components["schemas"]["Violation"][];
            /**
             * Violations All
             * @description Of the whole recording.
             */
            violations_all: number;
        };
        /**
         * ClingSection
         * @description NUMA cling: the groups' counters, busy nodes, decisions, and how exact the replay is.
         */
        ClingSection: {
            /** Annotations */
            annotations: components["schemas"]["Annotation"][];
            /** Annotations More */
            annotations_more: number;
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /** @description Null without lines of the kernel. */
            checked: components["schemas"]["CheckedLines"] | null;
            /** Decisions */
            decisions: components["schemas"]["Annotation"][];
            /** Decisions More */
            decisions_more: number;
            /**
             * Degree
             * @description At the window's end, percent.
             */
            degree: number;
            /**
             * Degrees
             * @description Each change of it.
             */
            degrees: [
                string,
                number
            ][];
            /** @description By scheduler events alone. Null without lines of the kernel, as is the next. */
            from_events: components["schemas"]["FromEvents"] | null;
            /** @description By events, probes and readings of the groups' files. */
            from_everything: components["schemas"]["FromEvents"] | null;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /** Groups */
            groups: components["schemas"]["Group"][];
            /**
             * Known By
             * @description By the kernel's own lines, by readings of its files, or as what-if on a kernel without it.
             * @enum {string}
             */
            known_by: "lines" | "readings" | "what_if";
            readings: components["schemas"]["Readings"];
            /** Timer Period Ns */
            timer_period_ns: number;
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            /** @description Null unless a degree was asked for. */
            what_if: components["schemas"]["ClingWhatIf"] | null;
        };
        /**
         * ClingWhatIf
         * @description Everything with the degree that was asked for.
         */
        ClingWhatIf: {
            /** Degree */
            degree: number;
            /**
             * First Reset Ns
             * @description From here on a task's preferred node differs.
             */
            first_reset_ns: string | null;
            /** Groups */
            groups: components["schemas"]["GroupWhatIf"][];
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
            /** @description The first moment that goes otherwise: claims end there. */
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
            utilisation: (components["schemas"]["ComparedUtilisation"] | components["schemas"]["MissingPart"])[];
            /**
             * Warnings
             * @description Why they are not like with like, the gravest first.
             */
            warnings: components["schemas"]["ComparedWarning"][];
        };
        /**
         * Conserved
         * @description A law of today's numbers.
         */
        Conserved: {
            /**
             * Holds
             * @description Null when a side is not known.
             */
            holds: boolean | null;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Law */
            law: string;
            /** Left */
            left: number | null;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /**
             * Residual
             * @description right - left
             */
            residual: number | null;
            /** Right */
            right: number | null;
            /**
             * Rule
             * @example equal
             * @example at_least
             */
            rule: string;
            /**
             * Slack
             * @description What may be between them without breaking it.
             */
            slack: number;
        };
        /**
         * Convergence
         * @description When placement was settled.
         */
        Convergence: {
            /**
             * After Ns
             * @description After the window's begin; null when not in it.
             */
            after_ns: number | null;
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
        };
        /**
         * CpuFollowsMemory
         * @description Moves of tasks to the node that holds most of their memory.
         */
        CpuFollowsMemory: {
            /**
             * By
             * @description How many moves each kind of evidence judged.
             */
            by: [
                string,
                number
            ][];
            /** Following */
            following: number;
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
            /** Moves */
            moves: number;
            /** Share */
            share: number | null;
            /**
             * Unknown
             * @description Moves of which nobody knows where the memory was.
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
        /**
         * Crossings
         * @description How tasks came to another node; `numa` and `lb_cross` add up to `total`.
         */
        Crossings: {
            /**
             * Asleep
             * @description Of lb_cross, tasks that slept.
             */
            asleep: number;
            /**
             * Lb Cross
             * @description Everything else; below 0 when migrations are missing.
             */
            lb_cross: number;
            /**
             * Numa
             * @description Moved or swapped by the NUMA balancer.
             */
            numa: number;
            /**
             * Runnable
             * @description Of lb_cross, tasks that could run: the load balancer, affinity, an exec.
             */
            runnable: number;
            /** Total */
            total: number;
            /**
             * Unexplained
             * @description Of lb_cross, what no recorded migration explains.
             */
            unexplained: number;
            /**
             * Unknown
             * @description Of lb_cross, tasks of which nobody knows what they did.
             */
            unknown: number;
            /**
             * Wakeup
             * @description Of lb_cross, tasks that a wake-up placed.
             */
            wakeup: number;
        };
        /**
         * DecidedBy
         * @description The numbers that decided.
         */
        DecidedBy: {
            /**
             * Busiest Nid
             * @description The group's busiest node; -1 for none.
             */
            busiest_nid: number;
            /** Degree */
            degree: number;
            /**
             * F
             * @description Failures.
             */
            f: number;
            /** Nid */
            nid: number;
            /**
             * Q
             * @description Failures of attempts, percent.
             */
            q: number;
            /**
             * T
             * @description Attempts.
             */
            t: number;
        };
        /**
         * Depth
         * @description Runqueue depth over time.
         */
        Depth: {
            /** Nodes */
            nodes: components["schemas"]["DepthNode"][];
            /** Step Ns */
            step_ns: number;
        };
        /**
         * DepthNode
         * @description Runnable tasks of a node's CPUs, per step.
         */
        DepthNode: {
            /** Max */
            max: number[];
            /** Mean */
            mean: number[];
            /** Nid */
            nid: number;
        };
        /**
         * Durations
         * @description How long calls that migrate pages took, for one reason.
         */
        Durations: {
            /** Batches */
            batches: number;
            /**
             * Error Percent
             * @description How far percentiles may be too high.
             */
            error_percent: number;
            /** Failed */
            failed: number;
            /** Max Ns */
            max_ns: number | null;
            /** P50 Ns */
            p50_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /** Pages */
            pages: number;
            /**
             * Reason
             * @description Empty when nothing tells.
             */
            reason: string;
            /** Sum Ns */
            sum_ns: number;
            /**
             * Timed
             * @description Those whose begin is recorded: the times are theirs.
             */
            timed: number;
        };
        /**
         * Dwell
         * @description How long tasks stayed on a node between two moves.
         */
        Dwell: {
            /** Count */
            count: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Max Ns */
            max_ns: number | null;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /** P50 Ns */
            p50_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            short: components["schemas"]["Shorter"];
            short_remote: components["schemas"]["RemoteRun"];
            /** Sum Ns */
            sum_ns: number;
            /**
             * Violations
             * @description Those that a migration interval would not have allowed.
             */
            violations: components["schemas"]["Shorter"][];
        };
        /**
         * Equivalent
         * @description What tells today what a statistic of 2010 told.
         */
        Equivalent: {
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
            /** Name */
            name: string;
            /**
             * Note
             * @description What is different.
             */
            note: string;
            /**
             * Source
             * @description Null where nothing tells it.
             */
            source: string | null;
            /**
             * Statistic
             * @example MP
             */
            statistic: string;
            /** Value */
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
        /**
         * Explanation
         * @description What an attempt met when it began.
         */
        Explanation: {
            /** Answers */
            answers: components["schemas"]["RulesAnswer"][];
            /**
             * Dst Nid
             * @description -1 when not known.
             */
            dst_nid: number;
            /**
             * Extra Wait Ns
             * @description Wait on the destination beyond what was there before, task-ns.
             */
            extra_wait_ns: number | null;
            /** @description Null unless both nodes are known and differ. */
            imbalance: components["schemas"]["Imbalance"] | null;
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
             * No Cpu
             * @description Why no CPU was found; only of attempts that found none.
             * @example dst_overloaded
             */
            no_cpu: string | null;
            /** Nodes */
            nodes: components["schemas"]["NodeAt"][];
            /**
             * Src Nid
             * @description -1 when not known.
             */
            src_nid: number;
        };
        /**
         * Fight
         * @description Windows of 10 s in which tasks went one way and their pages the other.
         */
        Fight: {
            /**
             * At Most
             * @description The same if every move of unknown memory went to it.
             */
            at_most: number | null;
            /** Fighting */
            fighting: number;
            /**
             * Index
             * @description Their share; null when nothing tells.
             */
            index: number | null;
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
            /** Processes */
            processes: components["schemas"]["Fighter"][];
            /** Windows */
            windows: number;
        };
        /**
         * Fighter
         * @description A process whose tasks go to the memory while its memory goes to the tasks.
         */
        Fighter: {
            /**
             * Active
             * @description Windows in which it moved at all.
             */
            active: number;
            /** Moves */
            moves: number;
            /** Pages */
            pages: number;
            remote: components["schemas"]["RemoteRun"];
            /** Tgid */
            tgid: number;
            /** Windows */
            windows: number;
        };
        /**
         * Finding
         * @description Something that cost time.
         */
        Finding: {
            /** Cgroup */
            cgroup: string | null;
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Id
             * @example PSI_SPIKE_HIDDEN
             */
            id: string;
            /** Impact Ms */
            impact_ms: number;
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
            nodes: number[];
            /** Pids */
            pids: number[];
            /**
             * Severity
             * @enum {string}
             */
            severity: "high" | "medium" | "low";
            /**
             * Summary
             * @description One sentence.
             */
            summary: string;
            /**
             * To Ns
             * @example 172800000000000
             */
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
        /**
         * FindingsSection
         * @description What the detectors found, worst first.
         */
        FindingsSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /** Findings */
            findings: components["schemas"]["Finding"][];
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
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
        /**
         * Flip
         * @description A node became busy for a group, or stopped being it.
         */
        Flip: {
            /**
             * Busiest Nid
             * @description The group's busiest node; -1 for none.
             */
            busiest_nid: number;
            /** Busy */
            busy: boolean;
            /** Degree */
            degree: number;
            /**
             * F
             * @description Failures.
             */
            f: number;
            /** Nid */
            nid: number;
            /**
             * Q
             * @description Failures of attempts, percent.
             */
            q: number;
            /**
             * T
             * @description Attempts.
             */
            t: number;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
        };
        /**
         * FromEvents
         * @description What a replay without the kernel's own lines comes to.
         */
        FromEvents: {
            attempts: components["schemas"]["Reproduced"];
            counters: components["schemas"]["Reproduced"];
            flips: components["schemas"]["Reproduced"];
            /** Rightly Not Counted */
            rightly_not_counted: number;
        };
        /**
         * Group
         * @description A numa group: its nodes, their counters over time, when a node was busy.
         */
        Group: {
            /** Busy */
            busy: components["schemas"]["BusyInterval"][];
            /** Cgroup */
            cgroup: string | null;
            /**
             * Disabled Ns
             * @description When it was switched off.
             */
            disabled_ns: string | null;
            /** Flips */
            flips: components["schemas"]["Flip"][];
            /**
             * From Ns
             * @description From when on it is known.
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Gid
             * @description 0 when nobody joined.
             */
            gid: number;
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
            nodes: components["schemas"]["GroupNode"][];
            /** Number */
            number: number;
            /**
             * Series
             * @description Ascending, each from its moment on; thinned where there are very many, extremes kept.
             */
            series: components["schemas"]["GroupStep"][];
            /**
             * To Ns
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * GroupNode
         * @description A node in a group: attempts of the window, and its counters at the window's end.
         */
        GroupNode: {
            /** Attempts */
            attempts: number;
            /** Failure Scaled */
            failure_scaled: number;
            /** Failures */
            failures: number;
            /** Nid */
            nid: number;
            /** Ratio Percent */
            ratio_percent: number;
            /** Total Scaled */
            total_scaled: number;
        };
        /**
         * GroupStep
         * @description A node's counters from a moment on.
         */
        GroupStep: {
            /** Busiest Nid */
            busiest_nid: number;
            /** Failure Scaled */
            failure_scaled: number;
            /** Nid */
            nid: number;
            /** Ratio Percent */
            ratio_percent: number;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
            /** Total Scaled */
            total_scaled: number;
        };
        /**
         * GroupWhatIf
         * @description A group with another degree; its busy nodes stand in the group itself.
         */
        GroupWhatIf: {
            /**
             * Differing
             * @description How many moments go otherwise.
             */
            differing: number;
            /** Group */
            group: number;
            /**
             * Parts Ns
             * @description Its first moment that goes otherwise.
             */
            parts_ns: string | null;
            /**
             * Points
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
        /**
         * HeatCell
         * @description The waits that ended in a column and have a length of a bucket.
         */
        HeatCell: {
            /**
             * Bucket
             * @description b has the waits of 2^b ns and more and of less than 2^(b+1); 0 also those of 0 ns.
             */
            bucket: number;
            /** Column */
            column: number;
            /** Count */
            count: number;
        };
        /**
         * HeatWaits
         * @description The waits of one kind.
         */
        HeatWaits: {
            /**
             * Cells
             * @description Those with a wait, by column and then by bucket.
             */
            cells: components["schemas"]["HeatCell"][];
            /** Count */
            count: number;
            /**
             * Most
             * @description The most in a cell.
             */
            most: number;
        };
        /**
         * IdleCpu
         * @description A CPU that was idle during the wait.
         */
        IdleCpu: {
            /**
             * Allowed
             * @description Whether the task may run there; null when nothing tells.
             */
            allowed: boolean | null;
            /** Cpu */
            cpu: number;
            /** Idle Ns */
            idle_ns: number;
            /** Nid */
            nid: number | null;
            /** Pieces */
            pieces: components["schemas"]["IdleTime"][];
        };
        /**
         * IdleDifference
         * @description Idle time of the trace less that of the samples, in points, in the same windows and measure.
         */
        IdleDifference: {
            /**
             * By
             * @description How the kernel counts idle time, and so how both sides do.
             * @enum {string}
             */
            by: "ticks" | "exact" | "dyntick";
            /**
             * Counted Percent
             * @description What the samples account for, percent of the time that passed.
             */
            counted_percent: number;
            /** Largest */
            largest: number;
            /** Mean */
            mean: number;
            /** Sentence */
            sentence: string;
            traced: components["schemas"]["IdleShare"];
            /** Windows */
            windows: number;
        };
        /**
         * IdleLane
         * @description When a CPU was in the idle mask.
         */
        IdleLane: {
            /** Cpu */
            cpu: number;
            /** Spans */
            spans: [
                string,
                string
            ][];
        };
        /**
         * IdleNode
         * @description The idle CPUs of a node during the wait.
         */
        IdleNode: {
            /**
             * Any Ns
             * @description How long at least one was idle.
             */
            any_ns: number;
            /** Cpus */
            cpus: number;
            /**
             * Idle Ns
             * @description Of all its CPUs together.
             */
            idle_ns: number;
            /**
             * Nid
             * @description Null for CPUs of which nobody knows the node.
             */
            nid: number | null;
            /** Pieces */
            pieces: components["schemas"]["IdleTime"][];
        };
        /**
         * IdleShare
         * @description Idle time of one-second windows, in percent.
         */
        IdleShare: {
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Max */
            max: number;
            /** Mean */
            mean: number;
            /** Min */
            min: number;
            /** Stdev */
            stdev: number;
            /** Windows */
            windows: number;
        };
        /**
         * IdleTime
         * @description Idle time. Short pieces are one where there are many.
         */
        IdleTime: {
            /** Count */
            count: number;
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Idle Ns
             * @description Of a node: of all its CPUs together.
             */
            idle_ns: number;
            /**
             * To Ns
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * IlbEvent
         * @description Something that happened: a kick with what became of it, a pass, a blocked tick, a stale next_balance.
         */
        IlbEvent: {
            /** Arrived Ns */
            arrived_ns: string | null;
            /**
             * Cpu
             * @description Null when nothing shows who sent a kick.
             */
            cpu: number | null;
            /** Fate */
            fate: ("handled" | "dropped" | "latched" | "aborted" | "not_seen") | null;
            /** Flags */
            flags: number | null;
            /**
             * Handled Ns
             * @description When a kick's softirq was raised; of a pass, when it ended.
             */
            handled_ns: string | null;
            /** Jiffies */
            jiffies: number | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "kick_sent" | "pass" | "pick_blocked" | "stale_next_balance";
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Migrations */
            migrations: number | null;
            /**
             * Served
             * @description Of a pass: CPUs that it balanced for.
             */
            served: number | null;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
            /** Target */
            target: number | null;
            /**
             * Why
             * @description Of a model.
             * @example nr_running
             */
            why: string | null;
        };
        /**
         * IlbKicks
         * @description Kicks and what became of them; handled and dropped ones arrived on their target.
         */
        IlbKicks: {
            /**
             * Blocked
             * @description Ticks that the first and second pick kept from kicking; 2011 only.
             */
            blocked: number;
            /**
             * Dropped
             * @description They came, and no softirq was raised.
             */
            dropped: number;
            /** Handled */
            handled: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Latched
             * @description They were swallowed, because an older one counted as under way.
             */
            latched: number;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /** Not Seen */
            not_seen: number;
            /** Sent */
            sent: number;
            /** With Sender */
            with_sender: number;
        };
        /**
         * IlbModel
         * @description What a version of the balancer would have done with the same ticks, idle times and run queues.
         */
        IlbModel: {
            /** Blocked Ticks */
            blocked_ticks: number;
            /** Dropped */
            dropped: number;
            /**
             * Gate Closed Ticks
             * @description Ticks with waiting tasks before next_balance.
             */
            gate_closed_ticks: number;
            /** Ipis */
            ipis: number;
            /** Kicks */
            kicks: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Latched */
            latched: number;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /**
             * Name
             * @enum {string}
             */
            name: "2011" | "2011-patched" | "modern";
            /** Passes */
            passes: number;
            /** Stale Most Jiffies */
            stale_most_jiffies: number;
            /** Waste Cpu Ms */
            waste_cpu_ms: number;
        };
        /**
         * IlbObservation
         * @description How each step of the balancer is known.
         */
        IlbObservation: {
            /** @description A CPU stops its tick and enters the idle mask. */
            idle_entry: components["schemas"]["ToldBy"];
            kick: components["schemas"]["ToldBy"];
            pass: components["schemas"]["ToldBy"];
            tick: components["schemas"]["ToldBy"];
        };
        /**
         * IlbPasses
         * @description Times that one CPU balanced for the others.
         */
        IlbPasses: {
            /** Aborted */
            aborted: number;
            /** Count */
            count: number;
            /**
             * Kicked
             * @description A kick asked for it.
             */
            kicked: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Migrations
             * @description Tasks that they moved; null of a model.
             */
            migrations: number | null;
        };
        /**
         * IlbSection
         * @description The nohz idle load balancer: who was kicked, what came of it, what the wait cost.
         */
        IlbSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /** Blocked Ticks */
            blocked_ticks: number;
            /** @description Null where kicks would not have been recorded. */
            comparison: components["schemas"]["KickComparison"] | null;
            /** Cpus */
            cpus: number;
            /** Events */
            events: components["schemas"]["IlbEvent"][];
            /**
             * Events All
             * @description How many there are.
             */
            events_all: number;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /** Hz */
            hz: number;
            idle_difference: components["schemas"]["IdleDifference"] | null;
            /** Idle Mask */
            idle_mask: components["schemas"]["IdleLane"][];
            /** @description From the trace; null for less than a second. */
            idle_percent: components["schemas"]["IdleShare"] | null;
            /** @description From samples of /proc/stat, in the measure of idle_difference. */
            idle_sampled: components["schemas"]["IdleShare"] | null;
            /** @description From the same samples, as vmstat prints it. */
            idle_vmstat: components["schemas"]["IdleShare"] | null;
            /**
             * Kernel
             * @example 6.1.0-44-amd64
             */
            kernel: string | null;
            kicks: components["schemas"]["IlbKicks"];
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Lost Gaps
             * @description Gaps of lost events in the window.
             */
            lost_gaps: number;
            /**
             * May
             * @description What the models allow to conclude.
             */
            may: string[];
            /** May Not */
            may_not: string[];
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /**
             * Model
             * @enum {string}
             */
            model: "2011" | "2011-patched" | "modern";
            /** Models */
            models: components["schemas"]["IlbModel"][];
            observation: components["schemas"]["IlbObservation"];
            passes: components["schemas"]["IlbPasses"];
            /**
             * Stale Next Balance
             * @description Largest first.
             */
            stale_next_balance: components["schemas"]["StaleNextBalance"][];
            /**
             * Thinned
             * @description Times in the idle mask that are close to each other are told as one.
             */
            thinned: boolean;
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            waste: components["schemas"]["IlbWaste"];
        };
        /**
         * IlbWaste
         * @description Idle CPUs beside waiting tasks: an upper bound of what better kicks could have saved.
         */
        IlbWaste: {
            /**
             * Beside Waiting Cpu Ms
             * @description Of all idle CPUs.
             */
            beside_waiting_cpu_ms: number;
            /**
             * Cpu Ms
             * @description Of idle CPUs whose balance was overdue.
             */
            cpu_ms: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Windows
             * @description The costliest, by time.
             */
            windows: components["schemas"]["WasteStretch"][];
        };
        /**
         * Imbalance
         * @description Tasks on both nodes as they would be after a move.
         */
        Imbalance: {
            /** Dst Running */
            dst_running: number;
            /**
             * Imbalance
             * @description By how many the destination would have more.
             */
            imbalance: number;
            /** Src Running */
            src_running: number;
        };
        /**
         * ImbalanceStep
         * @description How unevenly the nodes were used in a step.
         */
        ImbalanceStep: {
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Hhi
             * @description Sum of the squared shares: 1/nodes when even, 1 when one has all.
             */
            hhi: number | null;
            /**
             * Max Min
             * @description Percentage points between the busiest and the idlest node.
             */
            max_min: number | null;
            /**
             * Stdev
             * @description Standard deviation of the nodes' percentages.
             */
            stdev: number | null;
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
        /**
         * IntervalWhatIf
         * @description What a migration interval would have refused.
         */
        IntervalWhatIf: {
            /**
             * First
             * @description First refusals of their tasks: up to there the history is the real one.
             */
            first: number;
            /** Interval S */
            interval_s: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Later */
            later: number;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /** Moves */
            moves: number;
            /** Refused */
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
        /**
         * JustTooLate
         * @description Pages that were migrated for a task that left soon after.
         */
        JustTooLate: {
            /**
             * Amortisation Ns
             * @description How long the task must stay for its pages to be worth the way.
             */
            amortisation_ns: number;
            /**
             * Batches
             * @description Calls that migrated the late pages.
             */
            batches: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Migrate Ns
             * @description Time of these calls, where their begin is recorded.
             */
            migrate_ns: number;
            /** Migrated Pages */
            migrated_pages: number;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /**
             * Pages
             * @description Of these, those that came too late.
             */
            pages: number;
            /**
             * Share
             * @description Null when none were migrated.
             */
            share: number | null;
            /**
             * Told Batches
             * @description Calls whose destination an event tells.
             */
            told_batches: number;
            /**
             * Undecided Pages
             * @description The recording ends too soon to tell.
             */
            undecided_pages: number;
            /** Untimed Batches */
            untimed_batches: number;
        };
        /**
         * KickComparison
         * @description Recorded kicks against the modern model's; the reasons' counts add up to both totals.
         */
        KickComparison: {
            /** Both */
            both: number;
            /** Model */
            model: number;
            /** Observed */
            observed: number;
            /** Reasons */
            reasons: components["schemas"]["KickReason"][];
            /**
             * Same Flags
             * @description Of the kicks on both sides whose flags are told, those with the same ones.
             */
            same_flags: number;
            /** Told Flags */
            told_flags: number;
        };
        /**
         * KickReason
         * @description Why kicks are only on one side.
         */
        KickReason: {
            /** Both */
            both: number;
            /** Model Only */
            model_only: number;
            /** Observed Only */
            observed_only: number;
            /**
             * Reason
             * @description A name; more may come.
             * @example gate_later
             */
            reason: string;
            /** Sentence */
            sentence: string;
            /** Words */
            words: string;
        };
        /**
         * LatencyBins
         * @description Wake-up waits by length, all in the same bins.
         */
        LatencyBins: {
            /** Analyses */
            analyses: (components["schemas"]["ComparedHistogram"] | components["schemas"]["MissingPart"])[];
            /**
             * Edges Ns
             * @description Upper edges of all bins but the last; the first begins at 0.
             */
            edges_ns: number[];
        };
        /**
         * LatencySection
         * @description From wake-up to running: percentiles, the worst, and what the time went to.
         */
        LatencySection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * By Cgroup
             * @description A cgroup's own tasks; empty when cgroups are not known.
             */
            by_cgroup: components["schemas"]["CgroupWaits"][];
            /** By Node */
            by_node: components["schemas"]["NodeWaits"][];
            /**
             * By Task
             * @description Those that waited longest in sum first.
             */
            by_task: components["schemas"]["TaskWaits"][];
            /**
             * Causes
             * @description What that time went to.
             */
            causes: components["schemas"]["CauseTime"][];
            /**
             * Error Percent
             * @description How far percentiles may be too high; 0 when they are exact.
             */
            error_percent: number;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Max Ns */
            max_ns: number | null;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            preempted: components["schemas"]["PreemptedWaits"];
            /**
             * Tasks
             * @description How many tasks waited, told or not.
             */
            tasks: number;
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            unrequested: components["schemas"]["UnrequestedWaits"];
            /**
             * Wait Ns
             * @description All of them together.
             */
            wait_ns: number;
            /** Wakeups */
            wakeups: number;
            /** Worst */
            worst: components["schemas"]["Wait"][];
        };
        /**
         * LawCheck
         * @description A law and the rows.
         */
        LawCheck: {
            /** Form */
            form: string;
            /**
             * Holds
             * @description Rows in which it holds to the letter.
             */
            holds: number;
            /**
             * Law
             * @example C1
             */
            law: string;
            /**
             * Rows
             * @description Rows that were checked.
             */
            rows: number;
            /**
             * Skewed
             * @description Rows that break it only by being read while they changed.
             */
            skewed: number;
            /** Violated */
            violated: number;
            /** Violations */
            violations: components["schemas"]["LawViolation"][];
        };
        /**
         * LawViolation
         * @description A row that breaks a law.
         */
        LawViolation: {
            /** By */
            by: number;
            /** Row */
            row: number;
            /** T Ns */
            t_ns: string | null;
            /** What */
            what: string;
        };
        /**
         * Leak
         * @description Shared references that stay.
         */
        Leak: {
            /** Entries */
            entries: number;
            /** From Ns */
            from_ns: string | null;
            /** To Ns */
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
        /**
         * Locality
         * @description How local memory was.
         */
        Locality: {
            /**
             * Faults
             * @description Share of local hinting faults.
             */
            faults: number | null;
            faults_quality: components["schemas"]["Quality"];
            /**
             * Pages
             * @description Share of pages on the node where their process ran.
             */
            pages: number | null;
            pages_quality: components["schemas"]["Quality"];
        };
        /**
         * LostStall
         * @description Stall that aggregations threw away because no CPU had been busy for a jiffy, microseconds by resource.
         */
        LostStall: {
            /** Cpu */
            cpu: number;
            /** Io */
            io: number;
            /** Memory */
            memory: number;
        };
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
        /**
         * MemoryFollowsCpu
         * @description Pages migrated on fault, to the node where the task runs.
         */
        MemoryFollowsCpu: {
            /** Batches */
            batches: number;
            /** Failed */
            failed: number;
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
            nodes: components["schemas"]["NodePages"][];
            /** Pages */
            pages: number;
            /** Per S */
            per_s: number;
        };
        /**
         * MigrationMetrics
         * @description Whether memory followed the CPUs, or the CPUs the memory.
         */
        MigrationMetrics: {
            convergence: components["schemas"]["Convergence"];
            cpu_follows_memory: components["schemas"]["CpuFollowsMemory"];
            /** Durations */
            durations: components["schemas"]["Durations"][];
            dwell: components["schemas"]["Dwell"];
            fight: components["schemas"]["Fight"];
            just_too_late: components["schemas"]["JustTooLate"];
            locality: components["schemas"]["Locality"];
            memory_follows_cpu: components["schemas"]["MemoryFollowsCpu"];
            moves: components["schemas"]["NodeMoves"];
            series: components["schemas"]["MoveSeries"];
            tasks: components["schemas"]["MovedTasks"];
        };
        /**
         * MigrationSection
         * @description Memory that follows tasks and tasks that follow memory; what was not recorded or sampled is null.
         */
        MigrationSection: {
            /** Amortisation Ns */
            amortisation_ns: number | null;
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /** @description Null without a recording. */
            metrics: components["schemas"]["MigrationMetrics"] | null;
            modern: components["schemas"]["Modern"] | null;
            /** @description Null unless the statistics of auto-migration were sampled. */
            table: components["schemas"]["AutomigTable"] | null;
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            what_if: components["schemas"]["IntervalWhatIf"] | null;
        };
        /**
         * Miss
         * @description So many for a reason.
         */
        Miss: {
            /** Count */
            count: number;
            /**
             * First Ns
             * @example 172800000000000
             */
            first_ns: string;
            /** Reason */
            reason: string;
        };
        /**
         * MissingCling
         * @description The cling section without content, but with the degree that was asked for.
         */
        MissingCling: {
            /**
             * Available
             * @constant
             */
            available: false;
            /** Degree */
            degree: number;
            /** Reason */
            reason: string;
        };
        /**
         * MissingPart
         * @description A section, or a part of one, without content.
         */
        MissingPart: {
            /**
             * Available
             * @constant
             */
            available: false;
            /**
             * Reason
             * @description One sentence: which input is missing.
             */
            reason: string;
        };
        /**
         * MissingSection
         * @description A section without content.
         */
        MissingSection: {
            /**
             * Available
             * @constant
             */
            available: false;
            /** Reason */
            reason: string;
        };
        /**
         * Modern
         * @description Today's equivalents of the statistics of 2010, and what they conserve.
         */
        Modern: {
            /** Conserved */
            conserved: components["schemas"]["Conserved"][];
            /** Equivalents */
            equivalents: components["schemas"]["Equivalent"][];
            /**
             * Samples Ns
             * @description The samples of /proc/vmstat that were compared.
             */
            samples_ns: [
                string,
                string
            ] | null;
        };
        /**
         * MoveSeries
         * @description Counts per step of the window; the last step may be shorter.
         */
        MoveSeries: {
            /**
             * All Pages
             * @description Migrated for any reason.
             */
            all_pages: number[];
            /**
             * By Node
             * @description `pages` in the order of memory_follows_cpu.nodes.
             */
            by_node: number[][];
            /** Just Too Late */
            just_too_late: number[];
            /** Moves */
            moves: number[];
            /**
             * Pages
             * @description Migrated on fault.
             */
            pages: number[];
            /** Step Ns */
            step_ns: number;
        };
        /**
         * MovedTask
         * @description A task that moved between nodes, or whose pages did.
         */
        MovedTask: {
            /**
             * By Node
             * @description Node and time on it, ns.
             */
            by_node: [
                number,
                number
            ][];
            /** Just Too Late Pages */
            just_too_late_pages: number;
            /** Migrate Ns */
            migrate_ns: number;
            /** Moves */
            moves: number;
            /** Pages */
            pages: number;
            /** Pid */
            pid: number;
            /** Run Ns */
            run_ns: number | null;
            /** Short Dwells */
            short_dwells: number;
            /**
             * Task
             * @description Row of the task table.
             */
            task: number | null;
            /** Tgid */
            tgid: number;
        };
        /**
         * MovedTasks
         * @description Tasks, the worst first.
         */
        MovedTasks: {
            /** Count */
            count: number;
            /** Rows */
            rows: components["schemas"]["MovedTask"][];
        };
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
        /**
         * NodeAt
         * @description A node when an attempt began.
         */
        NodeAt: {
            /** Idle Cpus */
            idle_cpus: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Nid */
            nid: number;
            /**
             * Node Type
             * @description What the kernel took it for; several where averages decide.
             * @example [
             *       "has_spare"
             *     ]
             */
            node_type: string[];
            /**
             * Nr Running
             * @description Runnable tasks on its CPUs, running ones included.
             */
            nr_running: number;
            /**
             * Unknown Cpus
             * @description CPUs of which nothing is known.
             */
            unknown_cpus: number;
            /**
             * Weight
             * @description Its CPUs.
             */
            weight: number;
        };
        /**
         * NodeMoves
         * @description Moves of tasks between nodes.
         */
        NodeMoves: {
            /**
             * By How
             * @description By what the task was then: unknown, waking, runnable, asleep.
             */
            by_how: [
                string,
                number
            ][];
            /** Count */
            count: number;
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
            /** Per S */
            per_s: number;
            /**
             * Unplaced
             * @description Migrations from or to CPUs of which no node is known.
             */
            unplaced: number;
            /**
             * Unseen
             * @description Times that a task was on another node than its last event says.
             */
            unseen: number;
        };
        /**
         * NodePages
         * @description Pages that came to a node.
         */
        NodePages: {
            /** Nid */
            nid: number;
            /** Pages */
            pages: number;
            /** Per S */
            per_s: number;
        };
        /**
         * NodeWaits
         * @description The waits that ended on a node.
         */
        NodeWaits: {
            /**
             * Causes
             * @description What that time went to.
             */
            causes: components["schemas"]["CauseTime"][];
            /** Count */
            count: number;
            /**
             * Error Percent
             * @description How far percentiles may be too high; 0 when they are exact.
             */
            error_percent: number;
            /** Max Ns */
            max_ns: number | null;
            /** Nid */
            nid: number;
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /**
             * Preempted
             * @description Waits after a preemption, which are in none of the other numbers.
             */
            preempted: number;
            /** Preempted Ns */
            preempted_ns: number;
            /**
             * Wait Ns
             * @description All of them together.
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
        /**
         * Numa
         * @description Attempts to place tasks, and the counters of memory.
         */
        Numa: {
            /** Attempts */
            attempts: {
                [key: string]: unknown;
            } | components["schemas"]["MissingSection"];
            /** Ops */
            ops: {
                [key: string]: unknown;
            } | components["schemas"]["MissingSection"];
            /** Ops Mmtests */
            ops_mmtests: {
                [key: string]: unknown;
            } | components["schemas"]["MissingSection"];
            /** Per Node */
            per_node: {
                [key: string]: unknown;
            } | components["schemas"]["MissingSection"];
            /** Vmstat */
            vmstat: {
                [key: string]: unknown;
            } | components["schemas"]["MissingSection"];
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
        /**
         * Ops
         * @description What became of the attempts that began in the window.
         */
        Ops: {
            /** Attempts */
            attempts: number;
            crossings: components["schemas"]["Crossings"];
            failures: components["schemas"]["OpsFailures"];
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Migrations
             * @description Tasks that came to another CPU.
             */
            migrations: number;
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /** @description As mmtests' monitor counts the same window. */
            mmtests: components["schemas"]["OpsRows"];
            /**
             * Mmtests Warnings
             * @description How often that monitor would have warned.
             */
            mmtests_warnings: number;
            /**
             * Moves
             * @description Moves that were tried.
             */
            moves: number;
            /** Moves Ok */
            moves_ok: number;
            /**
             * Retries
             * @description Failures of a task that had failed in the window before.
             */
            retries: number;
            /** @description As the rows are meant. */
            rows: components["schemas"]["OpsRows"];
            /**
             * Swaps
             * @description Swaps that were tried.
             */
            swaps: number;
            /**
             * Swaps Local
             * @description Swaps inside a node.
             */
            swaps_local: number;
            /** Swaps Ok */
            swaps_ok: number;
            /**
             * Swaps Within Group
             * @description Swaps inside a numa group.
             */
            swaps_within_group: number;
            /**
             * Unknown
             * @description Attempts whose end is not known.
             */
            unknown: number;
        };
        /**
         * OpsFailures
         * @description Attempts that failed, by why.
         */
        OpsFailures: {
            /**
             * Move Failed
             * @description The move was tried and failed.
             */
            move_failed: number;
            /**
             * Move Refused
             * @description The move was refused before it was tried: affinity.
             */
            move_refused: number;
            /**
             * No Cpu
             * @description No CPU was found.
             */
            no_cpu: number;
            /**
             * No Domain
             * @description The task's CPU is in no NUMA domain.
             */
            no_domain: number;
            /**
             * Swap Raced
             * @description The swap was tried, and a task had gone elsewhere meanwhile.
             */
            swap_raced: number;
            /**
             * Swap Refused
             * @description The swap was refused before it was tried.
             */
            swap_refused: number;
        };
        /**
         * OpsRows
         * @description The twelve rows of the Ops table; null is a counter that never counted, of which mmtests prints no row.
         */
        OpsRows: {
            /** Load Balance Cross Numa */
            load_balance_cross_numa: number | null;
            /** Migrate Failed Move To Idle */
            migrate_failed_move_to_idle: number | null;
            /** Migrate Failed No Cpu */
            migrate_failed_no_cpu: number | null;
            /** Migrate Failed Swap Task Fail */
            migrate_failed_swap_task_fail: number | null;
            /** Task Migrate Retry */
            task_migrate_retry: number | null;
            /** Task Migrate Retry Failed */
            task_migrate_retry_failed: number | null;
            /** Task Migrate Retry Success */
            task_migrate_retry_success: number | null;
            /** Task Migrated Idle Cpu */
            task_migrated_idle_cpu: number | null;
            /** Task Migrated Idle Cpu Local Nid */
            task_migrated_idle_cpu_local_nid: number | null;
            /** Task Migrated Swapped */
            task_migrated_swapped: number | null;
            /** Task Migrated Swapped Local Nid */
            task_migrated_swapped_local_nid: number | null;
            /** Task Migrated Swapped Within Group */
            task_migrated_swapped_within_group: number | null;
        };
        /**
         * OtherTasks
         * @description Tasks that ran as well, too many to be named.
         */
        OtherTasks: {
            /** Ns */
            ns: number;
            /** Tasks */
            tasks: number;
        };
        /**
         * Partner
         * @description The other task of a swap.
         */
        Partner: {
            /** Ngid */
            ngid: number;
            /** Pid */
            pid: number;
            /** Tgid */
            tgid: number;
        };
        /**
         * PerNode
         * @description The per-node table: how busy each node was in each step.
         */
        PerNode: {
            /** Imbalance */
            imbalance: components["schemas"]["ImbalanceStep"][];
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
            nodes: components["schemas"]["BusyNode"][];
            /**
             * Reading
             * @example busy
             */
            reading: string;
            /** Step Ns */
            step_ns: number;
            /**
             * T0 Ns
             * @example 172800000000000
             */
            t0_ns: string;
        };
        /**
         * PlacementGroup
         * @description The CPU time of a row.
         */
        PlacementGroup: {
            /**
             * Cgroup
             * @description Its cgroup, where the kernel has groups of cgroups and they were read.
             */
            cgroup: string | null;
            /**
             * Groups
             * @description How many groups the row is of.
             */
            groups: number;
            /**
             * Inferred Ns
             * @description Of it, from before an event told of the group.
             */
            inferred_ns: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Ngid
             * @description Id of the numa group; null for rows of no single group.
             */
            ngid: number | null;
            /** Nodes */
            nodes: components["schemas"]["PlacementNode"][];
            /** Run Ns */
            run_ns: number;
            /**
             * Tasks
             * @description Tasks that ran.
             */
            tasks: number;
            /**
             * Whose
             * @description A numa group, groups without a row of their own, tasks in none, or tasks of which no event tells.
             * @enum {string}
             */
            whose: "group" | "others" | "no_group" | "unknown";
        };
        /**
         * PlacementMemory
         * @description The memory of a row's processes by their last reading.
         */
        PlacementMemory: {
            /**
             * Cgroup
             * @description Its cgroup, where the kernel has groups of cgroups and they were read.
             */
            cgroup: string | null;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Ngid
             * @description Id of the numa group; null for rows of no single group.
             */
            ngid: number | null;
            /** Nodes */
            nodes: components["schemas"]["PlacementMemoryNode"][];
            /** Processes */
            processes: number;
            /**
             * Whose
             * @description A numa group, groups without a row of their own, tasks in none, or tasks of which no event tells.
             * @enum {string}
             */
            whose: "group" | "others" | "no_group" | "unknown";
        };
        /**
         * PlacementMemoryNode
         * @description Resident memory on a node.
         */
        PlacementMemoryNode: {
            /** Kb */
            kb: number;
            /** Nid */
            nid: number;
        };
        /**
         * PlacementNode
         * @description CPU time on a node.
         */
        PlacementNode: {
            /** Nid */
            nid: number;
            /** Run Ns */
            run_ns: number;
            /**
             * Series
             * @description CPU-ns in each step.
             */
            series: number[];
        };
        /**
         * PlacementSection
         * @description Which numa groups used the CPUs of which nodes over time. The rows add up to the nodes' busy time.
         */
        PlacementSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /** Busy Ns */
            busy_ns: number;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /** Groups */
            groups: components["schemas"]["PlacementGroup"][];
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Memory
             * @description null when no memory was sampled.
             */
            memory: components["schemas"]["PlacementMemory"][] | null;
            /** Memory Missing */
            memory_missing: string[];
            /**
             * Missing
             * @description What a better answer would need; empty unless inferred.
             */
            missing: string[];
            /** Step Ns */
            step_ns: number;
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * Point
         * @description A moment at which a node's being busy decides something.
         */
        Point: {
            /**
             * Busiest Nid
             * @description The group's busiest node; -1 for none.
             */
            busiest_nid: number;
            /** Dnid */
            dnid: number;
            /**
             * F
             * @description Failures.
             */
            f: number;
            /**
             * Fits Busy
             * @description Null when cling never does what was recorded.
             */
            fits_busy: boolean | null;
            /** Group */
            group: number;
            /**
             * Label
             * @description How the moment is known.
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Nid
             * @description The node that decides.
             */
            nid: number;
            /** Pid */
            pid: number;
            /**
             * Q
             * @description Failures of attempts, percent.
             */
            q: number;
            /**
             * Site
             * @example wake_affine
             * @example load_balance
             * @example swap
             * @example elect
             * @example retry
             * @example memory
             */
            site: string;
            /** Snid */
            snid: number;
            /**
             * T
             * @description Attempts.
             */
            t: number;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
        };
        /**
         * PreemptedWaits
         * @description Waits that began with a preemption, not with a wake-up; `waking_ns` is that moment.
         */
        PreemptedWaits: {
            /**
             * Causes
             * @description What that time went to.
             */
            causes: components["schemas"]["CauseTime"][];
            /** Count */
            count: number;
            /**
             * Error Percent
             * @description How far percentiles may be too high; 0 when they are exact.
             */
            error_percent: number;
            /** Max Ns */
            max_ns: number | null;
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /**
             * Wait Ns
             * @description All of them together.
             */
            wait_ns: number;
            /** Worst */
            worst: components["schemas"]["Wait"][];
        };
        /**
         * Pressure
         * @description The pressure sections. What the replay alone tells is null without one.
         */
        Pressure: {
            averages: components["schemas"]["ReportAverages"] | null;
            /** Cgroup Residual */
            cgroup_residual: {
                [key: string]: components["schemas"]["ReportResiduals"];
            } | null;
            /** Cgroups */
            cgroups: {
                [key: string]: components["schemas"]["ReportTotals"];
            } | components["schemas"]["MissingSection"];
            /** Hz */
            hz: number | null;
            hz_source: components["schemas"]["ReportSource"] | null;
            lost_us: components["schemas"]["ReportLostStall"] | null;
            /** Nodes */
            nodes: components["schemas"]["ReportPressureNode"][] | null;
            residual: components["schemas"]["ReportResiduals"] | null;
            /** Rules */
            rules: string | null;
            rules_source: components["schemas"]["ReportSource"] | null;
            /** Sampled */
            sampled: {
                [key: string]: components["schemas"]["SampledTotal"];
            } | components["schemas"]["MissingSection"];
            /** Series */
            series: components["schemas"]["ReportPressureSeries"] | components["schemas"]["MissingSection"];
            /** System */
            system: components["schemas"]["ReportTotals"] | components["schemas"]["MissingSection"];
            worker_source: components["schemas"]["ReportSource"] | null;
        };
        /**
         * PressureAverages
         * @description Averages predicted from the sampled totals, against those that the kernel printed.
         */
        PressureAverages: {
            /**
             * Exact
             * @description Of the predicted ones, those with only one possible percentage.
             */
            exact: number;
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
             * Skipped
             * @description Updates that could not be predicted: the first, and those across a gap of samples.
             */
            skipped: number;
            /**
             * Updates
             * @description Updates of a line, three averages each, that were predicted.
             */
            updates: number;
            /**
             * Worst
             * @description Largest difference, percentage points.
             */
            worst: number;
        };
        /**
         * PressureNode
         * @description The clocks of a node's CPUs, added up.
         */
        PressureNode: {
            /**
             * Cpu Full Ns
             * @description Tasks were runnable and none ran.
             */
            cpu_full_ns: number;
            /**
             * Cpu Some Ns
             * @description A task waited for the CPU.
             */
            cpu_some_ns: number;
            /**
             * Nid
             * @description -1 for the CPUs whose node is not known.
             */
            nid: number;
            /**
             * Nonidle Ns
             * @description There was something to do or to wait for.
             */
            nonidle_ns: number;
            /**
             * Unknown Ns
             * @description Nobody knows; in none of the others.
             */
            unknown_ns: number;
        };
        /**
         * PressurePoint
         * @description What the pressure file would have shown; averages in percent, null where the kernel has none.
         */
        PressurePoint: {
            /** Full Avg10 */
            full_avg10: number | null;
            /** Full Avg300 */
            full_avg300: number | null;
            /** Full Avg60 */
            full_avg60: number | null;
            /** Full Total Us */
            full_total_us: number | null;
            /** Some Avg10 */
            some_avg10: number;
            /** Some Avg300 */
            some_avg300: number;
            /** Some Avg60 */
            some_avg60: number;
            /**
             * Some Total Us
             * @description Counts from the window's begin.
             */
            some_total_us: number;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
        };
        /**
         * PressureResidual
         * @description The kernel's own counter between the first and the last sample in the window, against the replay of the same time.
         */
        PressureResidual: {
            /**
             * Check Tolerance Us
             * @description 2 %, or two jiffies per aggregation when that is more.
             */
            check_tolerance_us: number;
            /** Check Within */
            check_within: boolean;
            /**
             * Error Percent
             * @description How far the replay is above the samples.
             */
            error_percent: number;
            /**
             * From Ns
             * @description Time of the first sample.
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Pressure Percent
             * @description Sampled stall time per time.
             */
            pressure_percent: number;
            /** Replayed Full Us */
            replayed_full_us: number | null;
            /** Replayed Some Us */
            replayed_some_us: number;
            /** Sampled Full Us */
            sampled_full_us: number | null;
            /** Sampled Some Us */
            sampled_some_us: number;
            /** Samples */
            samples: number;
            /**
             * To Ns
             * @description Time of the last sample.
             * @example 172800000000000
             */
            to_ns: string;
            /**
             * Tolerance Percent
             * @description What is allowed here: 1, or 2 with gaps or little pressure.
             */
            tolerance_percent: number;
            /** Within */
            within: boolean;
        };
        /**
         * PressureResiduals
         * @description Residuals by resource; null where one of the sides is missing.
         */
        PressureResiduals: {
            cpu: components["schemas"]["PressureResidual"] | null;
            io: components["schemas"]["PressureResidual"] | null;
            memory: components["schemas"]["PressureResidual"] | null;
        };
        /**
         * PressureSection
         * @description Pressure stall information, replayed by the rules of a kernel version, beside the kernel's own samples.
         */
        PressureSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            averages: components["schemas"]["PressureAverages"] | null;
            /**
             * Cgroup Residual
             * @description By path; only where cgroups were sampled.
             */
            cgroup_residual: {
                [key: string]: components["schemas"]["PressureResiduals"];
            };
            /**
             * Cgroups
             * @description By path below the cgroup root.
             */
            cgroups: {
                [key: string]: components["schemas"]["PressureTotals"];
            } | components["schemas"]["MissingPart"];
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Hz
             * @description Jiffies per second.
             */
            hz: number;
            hz_source: components["schemas"]["PressureSource"];
            lost_us: components["schemas"]["LostStall"];
            /** Nodes */
            nodes: components["schemas"]["PressureNode"][];
            /** @description Null without two pressure samples in the window. */
            residual: components["schemas"]["PressureResiduals"] | null;
            /**
             * Rules
             * @description First kernel version of the rules in use.
             * @example 6.4
             */
            rules: string;
            rules_source: components["schemas"]["PressureSource"];
            series: components["schemas"]["PressureSeries"];
            system: components["schemas"]["PressureTotals"];
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            /** @description How the moments of the kernel's own updates are known. */
            worker_source: components["schemas"]["PressureSource"];
        };
        /**
         * PressureSeries
         * @description Replayed pressure over time, ascending; evenly thinned, first and last point kept. Empty without evidence.
         */
        PressureSeries: {
            /** Cpu */
            cpu: components["schemas"]["PressurePoint"][];
            /** Io */
            io: components["schemas"]["PressurePoint"][];
            /**
             * Label
             * @description Of the averages, which lean on what was before the window.
             */
            label: ("observed" | "replayed" | "inferred" | "what-if") | null;
            /** Memory */
            memory: components["schemas"]["PressurePoint"][];
            /** Missing */
            missing: string[];
        };
        /**
         * PressureSource
         * @description Where a setting of the replay is from.
         */
        PressureSource: {
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
            /** Name */
            name: string;
        };
        /**
         * PressureTotal
         * @description Replayed pressure in the window, microseconds as the kernel counts them; null where the kernel has no such counter.
         */
        PressureTotal: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /** Full Us */
            full_us: number | null;
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
            /** Some Us */
            some_us: number | null;
        };
        /**
         * PressureTotals
         * @description Replayed pressure by resource.
         */
        PressureTotals: {
            /** Cpu */
            cpu: components["schemas"]["PressureTotal"] | components["schemas"]["MissingPart"];
            /** Io */
            io: components["schemas"]["PressureTotal"] | components["schemas"]["MissingPart"];
            /** Irq */
            irq: components["schemas"]["PressureTotal"] | components["schemas"]["MissingPart"];
            /** Memory */
            memory: components["schemas"]["PressureTotal"] | components["schemas"]["MissingPart"];
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
        /**
         * Quality
         * @description How good a value is.
         */
        Quality: {
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
        };
        /**
         * Readings
         * @description How the replay of events came to what was read from the groups' files.
         */
        Readings: {
            /**
             * Adopted
             * @description Taken over, for nothing was known before.
             */
            adopted: number;
            /** All */
            all: number;
            /** Exactly */
            exactly: number;
            /**
             * Not
             * @description Not at all: the replay goes on from what was read.
             */
            not: number;
            /**
             * Reordered
             * @description With attempts in another order than their events.
             */
            reordered: number;
            /**
             * Timer Shifted
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
        /**
         * RefusedMove
         * @description A move that a migration interval would have refused.
         */
        RefusedMove: {
            /**
             * After Ns
             * @description Since the task's last move that would have been allowed.
             */
            after_ns: number;
            /** From Nid */
            from_nid: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Pid */
            pid: number;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
            /** Task */
            task: number;
            /** To Nid */
            to_nid: number;
        };
        /**
         * RemoteRun
         * @description Time on CPUs of nodes that do not hold most of the memory.
         */
        RemoteRun: {
            /**
             * Missing
             * @description Where neither run times nor memory are known, ns is 0.
             */
            missing: string[];
            /** Ns */
            ns: number;
        };
        /**
         * Report
         * @description The whole report. Times are ns of the trace's own clock.
         */
        Report: {
            /** Cling */
            cling: {
                [key: string]: unknown;
            } | components["schemas"]["MissingCling"];
            /** Event Counts */
            event_counts: {
                [key: string]: number;
            };
            /** Findings */
            findings: components["schemas"]["ReportFinding"][] | components["schemas"]["MissingSection"];
            /** Ilb */
            ilb: {
                [key: string]: unknown;
            } | components["schemas"]["MissingSection"];
            /** Inputs */
            inputs: {
                [key: string]: unknown;
            }[];
            /** Latency */
            latency: components["schemas"]["ReportLatency"] | components["schemas"]["MissingSection"];
            /** Migrate On Fault */
            migrate_on_fault: {
                [key: string]: unknown;
            } | components["schemas"]["MissingSection"];
            /** Notes */
            notes: string[];
            numa: components["schemas"]["Numa"];
            /** Placement */
            placement: components["schemas"]["ReportPlacement"] | components["schemas"]["MissingSection"];
            psi: components["schemas"]["Pressure"];
            /** Residency */
            residency: components["schemas"]["ReportResidency"] | components["schemas"]["MissingSection"];
            /**
             * Schema
             * @constant
             */
            schema: "numalens.report/1";
            topology: components["schemas"]["ReportTopology"];
            /** Utilisation */
            utilisation: components["schemas"]["ReportUtilisation"] | components["schemas"]["MissingSection"];
            /** Wait Heat */
            wait_heat: components["schemas"]["ReportWaitHeat"] | components["schemas"]["MissingSection"];
            /** Waste */
            waste: components["schemas"]["ReportWaste"] | components["schemas"]["MissingSection"];
            /** Window Ns */
            window_ns: number[];
        };
        /**
         * ReportAntagonist
         * @description A task that ran while another waited for its CPU.
         */
        ReportAntagonist: {
            /** Comm */
            comm: string;
            /** Ns */
            ns: number;
            /** Pid */
            pid: number;
            /** Task */
            task: number;
        };
        /**
         * ReportAverages
         * @description Averages predicted from the sampled totals, against those that the kernel printed.
         */
        ReportAverages: {
            /** Exact */
            exact: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Missing */
            missing: string[];
            /** Skipped */
            skipped: number;
            /** Updates */
            updates: number;
            /** Worst */
            worst: number;
        };
        /**
         * ReportCause
         * @description How much of a time has a cause.
         */
        ReportCause: {
            /** Cause */
            cause: string;
            /** Ns */
            ns: number;
        };
        /**
         * ReportCgroupWaits
         * @description The waits of a cgroup's tasks.
         */
        ReportCgroupWaits: {
            /** Causes */
            causes: components["schemas"]["ReportCause"][];
            /** Cgroup */
            cgroup: string;
            /** Count */
            count: number;
            /** Error Percent */
            error_percent: number;
            /** Max Ns */
            max_ns: number | null;
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /** Preempted */
            preempted: number;
            /** Preempted Ns */
            preempted_ns: number;
            /** Wait Ns */
            wait_ns: number;
        };
        /**
         * ReportDepth
         * @description Runqueue depth over time.
         */
        ReportDepth: {
            /** Nodes */
            nodes: components["schemas"]["ReportDepthNode"][];
            /** Step Ns */
            step_ns: number;
        };
        /**
         * ReportDepthNode
         * @description Runnable tasks of a node's CPUs, per step.
         */
        ReportDepthNode: {
            /** Max */
            max: number[];
            /** Mean */
            mean: number[];
            /** Nid */
            nid: number;
        };
        /**
         * ReportFinding
         * @description Something that cost time.
         */
        ReportFinding: {
            /** Cgroup */
            cgroup: string | null;
            /** From Ns */
            from_ns: number;
            /** Id */
            id: string;
            /** Impact Ms */
            impact_ms: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Missing */
            missing: string[];
            /** Nodes */
            nodes: number[];
            /** Pids */
            pids: number[];
            /**
             * Severity
             * @enum {string}
             */
            severity: "high" | "medium" | "low";
            /** Summary */
            summary: string;
            /** To Ns */
            to_ns: number;
        };
        /**
         * ReportHeatCell
         * @description The waits that ended in a column and are 2^bucket ns or longer, and shorter than twice that.
         */
        ReportHeatCell: {
            /** Bucket */
            bucket: number;
            /** Column */
            column: number;
            /** Count */
            count: number;
        };
        /**
         * ReportHeatWaits
         * @description The waits of one kind over time and by length; cells without a wait are left out.
         */
        ReportHeatWaits: {
            /** Cells */
            cells: components["schemas"]["ReportHeatCell"][];
            /** Count */
            count: number;
            /** Most */
            most: number;
        };
        /**
         * ReportImbalance
         * @description How unevenly the nodes were used in a step.
         */
        ReportImbalance: {
            /** From Ns */
            from_ns: number;
            /** Hhi */
            hhi: number | null;
            /** Max Min */
            max_min: number | null;
            /** Stdev */
            stdev: number | null;
        };
        /**
         * ReportLatency
         * @description From wake-up to running.
         */
        ReportLatency: {
            /** By Cgroup */
            by_cgroup: components["schemas"]["ReportCgroupWaits"][];
            /** By Node */
            by_node: components["schemas"]["ReportNodeWaits"][];
            /** By Task */
            by_task: components["schemas"]["ReportTaskWaits"][];
            /** Causes */
            causes: components["schemas"]["ReportCause"][];
            /** Error Percent */
            error_percent: number;
            /** From Ns */
            from_ns: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Max Ns */
            max_ns: number | null;
            /** Missing */
            missing: string[];
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            preempted: components["schemas"]["ReportPreempted"];
            /** Tasks */
            tasks: number;
            /** To Ns */
            to_ns: number;
            unrequested: components["schemas"]["ReportUnrequested"];
            /** Wait Ns */
            wait_ns: number;
            /** Wakeups */
            wakeups: number;
            /** Worst */
            worst: components["schemas"]["ReportWait"][];
        };
        /**
         * ReportList
         * @description The reports of an analysis, oldest first.
         */
        ReportList: {
            /** Reports */
            reports: components["schemas"]["ListedReport"][];
        };
        /**
         * ReportLostStall
         * @description Stall that aggregations threw away because no CPU had been busy for a jiffy.
         */
        ReportLostStall: {
            /** Cpu */
            cpu: number;
            /** Io */
            io: number;
            /** Memory */
            memory: number;
        };
        /**
         * ReportNode
         * @description A NUMA node and its CPUs.
         */
        ReportNode: {
            /** Cpus */
            cpus: number[];
            /** Nid */
            nid: number;
        };
        /**
         * ReportNodeWaits
         * @description The waits that ended on a node.
         */
        ReportNodeWaits: {
            /** Causes */
            causes: components["schemas"]["ReportCause"][];
            /** Count */
            count: number;
            /** Error Percent */
            error_percent: number;
            /** Max Ns */
            max_ns: number | null;
            /** Nid */
            nid: number;
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /** Preempted */
            preempted: number;
            /** Preempted Ns */
            preempted_ns: number;
            /** Wait Ns */
            wait_ns: number;
        };
        /**
         * ReportOthers
         * @description Tasks that ran as well, too many to be named.
         */
        ReportOthers: {
            /** Ns */
            ns: number;
            /** Tasks */
            tasks: number;
        };
        /**
         * ReportPlacement
         * @description Which numa groups used the CPUs of which nodes, over time, and where their memory lies.
         */
        ReportPlacement: {
            /** Busy Ns */
            busy_ns: number;
            /** From Ns */
            from_ns: number;
            /** Groups */
            groups: components["schemas"]["ReportPlacementGroup"][];
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Memory */
            memory: components["schemas"]["ReportPlacementMemory"][] | null;
            /** Memory Missing */
            memory_missing: string[];
            /** Missing */
            missing: string[];
            /** Step Ns */
            step_ns: number;
            /** To Ns */
            to_ns: number;
        };
        /**
         * ReportPlacementGroup
         * @description The CPU time of a numa group, of those that were merged, of tasks in none, or of those of which nobody knows.
         */
        ReportPlacementGroup: {
            /** Cgroup */
            cgroup: string | null;
            /** Groups */
            groups: number;
            /** Inferred Ns */
            inferred_ns: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Ngid */
            ngid: number | null;
            /** Nodes */
            nodes: components["schemas"]["ReportPlacementNode"][];
            /** Run Ns */
            run_ns: number;
            /** Tasks */
            tasks: number;
            /**
             * Whose
             * @enum {string}
             */
            whose: "group" | "others" | "no_group" | "unknown";
        };
        /**
         * ReportPlacementMemory
         * @description The memory of a numa group's processes.
         */
        ReportPlacementMemory: {
            /** Cgroup */
            cgroup: string | null;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Ngid */
            ngid: number | null;
            /** Nodes */
            nodes: components["schemas"]["ReportPlacementMemoryNode"][];
            /** Processes */
            processes: number;
            /**
             * Whose
             * @enum {string}
             */
            whose: "group" | "others" | "no_group" | "unknown";
        };
        /**
         * ReportPlacementMemoryNode
         * @description Resident memory on a node.
         */
        ReportPlacementMemoryNode: {
            /** Kb */
            kb: number;
            /** Nid */
            nid: number;
        };
        /**
         * ReportPlacementNode
         * @description A group's CPU time on a node, in the window and per step.
         */
        ReportPlacementNode: {
            /** Nid */
            nid: number;
            /** Run Ns */
            run_ns: number;
            /** Series */
            series: number[];
        };
        /**
         * ReportPreempted
         * @description Waits that began with a preemption; that moment is their `waking_ns`.
         */
        ReportPreempted: {
            /** Causes */
            causes: components["schemas"]["ReportCause"][];
            /** Count */
            count: number;
            /** Error Percent */
            error_percent: number;
            /** Max Ns */
            max_ns: number | null;
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /** Wait Ns */
            wait_ns: number;
            /** Worst */
            worst: components["schemas"]["ReportWait"][];
        };
        /**
         * ReportPressureNode
         * @description The clocks of a node's CPUs, added up; `nid` -1 are the CPUs whose node is not known.
         */
        ReportPressureNode: {
            /** Cpu Full Ns */
            cpu_full_ns: number;
            /** Cpu Some Ns */
            cpu_some_ns: number;
            /** Nid */
            nid: number;
            /** Nonidle Ns */
            nonidle_ns: number;
            /** Unknown Ns */
            unknown_ns: number;
        };
        /**
         * ReportPressurePoint
         * @description What the pressure file would have shown; totals count from the window's begin.
         */
        ReportPressurePoint: {
            /** Full Avg10 */
            full_avg10: number | null;
            /** Full Avg300 */
            full_avg300: number | null;
            /** Full Avg60 */
            full_avg60: number | null;
            /** Full Total Us */
            full_total_us: number | null;
            /** Some Avg10 */
            some_avg10: number;
            /** Some Avg300 */
            some_avg300: number;
            /** Some Avg60 */
            some_avg60: number;
            /** Some Total Us */
            some_total_us: number;
            /** T Ns */
            t_ns: number;
        };
        /**
         * ReportPressureSeries
         * @description Replayed pressure over time; averages lean on what was before the window.
         */
        ReportPressureSeries: {
            /** Cpu */
            cpu: components["schemas"]["ReportPressurePoint"][];
            /** Io */
            io: components["schemas"]["ReportPressurePoint"][];
            /** Label */
            label: ("observed" | "replayed" | "inferred" | "what-if") | null;
            /** Memory */
            memory: components["schemas"]["ReportPressurePoint"][];
            /** Missing */
            missing: string[];
        };
        /**
         * ReportResidency
         * @description Which tasks ran on which nodes.
         */
        ReportResidency: {
            /** From Ns */
            from_ns: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Missing */
            missing: string[];
            /** Tasks */
            tasks: components["schemas"]["ReportResidencyTask"][];
            /** To Ns */
            to_ns: number;
            /** Total */
            total: number;
        };
        /**
         * ReportResidencyNode
         * @description A task's time on a node.
         */
        ReportResidencyNode: {
            /** Nid */
            nid: number;
            /** Run Ns */
            run_ns: number;
        };
        /**
         * ReportResidencyTask
         * @description Where a task ran.
         */
        ReportResidencyTask: {
            /** Comm */
            comm: string;
            /** Cpus */
            cpus: number;
            /** Migrations Node */
            migrations_node: number;
            /** Nodes */
            nodes: components["schemas"]["ReportResidencyNode"][];
            /** Pid */
            pid: number;
            /** Run Ns */
            run_ns: number;
            /** Task */
            task: number;
            /** Wait Ns */
            wait_ns: number;
        };
        /**
         * ReportResidual
         * @description The kernel's counter from the first to the last sample, against the replay of the same time.
         */
        ReportResidual: {
            /** Check Tolerance Us */
            check_tolerance_us: number;
            /** Check Within */
            check_within: boolean;
            /** Error Percent */
            error_percent: number;
            /** From Ns */
            from_ns: number;
            /** Pressure Percent */
            pressure_percent: number;
            /** Replayed Full Us */
            replayed_full_us: number | null;
            /** Replayed Some Us */
            replayed_some_us: number;
            /** Sampled Full Us */
            sampled_full_us: number | null;
            /** Sampled Some Us */
            sampled_some_us: number;
            /** Samples */
            samples: number;
            /** To Ns */
            to_ns: number;
            /** Tolerance Percent */
            tolerance_percent: number;
            /** Within */
            within: boolean;
        };
        /**
         * ReportResiduals
         * @description Residuals by resource; null where one of the sides is missing.
         */
        ReportResiduals: {
            cpu: components["schemas"]["ReportResidual"] | null;
            io: components["schemas"]["ReportResidual"] | null;
            memory: components["schemas"]["ReportResidual"] | null;
        };
        /**
         * ReportSource
         * @description Where a setting of the replay is from.
         */
        ReportSource: {
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Missing */
            missing: string[];
            /** Name */
            name: string;
        };
        /**
         * ReportTaskWaits
         * @description The waits of a task.
         */
        ReportTaskWaits: {
            /** Causes */
            causes: components["schemas"]["ReportCause"][];
            /** Comm */
            comm: string;
            /** Count */
            count: number;
            /** Error Percent */
            error_percent: number;
            /** Max Ns */
            max_ns: number | null;
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /** Pid */
            pid: number;
            /** Preempted */
            preempted: number;
            /** Preempted Ns */
            preempted_ns: number;
            /** Task */
            task: number;
            /** Wait Ns */
            wait_ns: number;
        };
        /**
         * ReportTopology
         * @description Nodes and CPUs, and how they are known.
         */
        ReportTopology: {
            /** Nodes */
            nodes: components["schemas"]["ReportNode"][];
            /**
             * Source
             * @enum {string}
             */
            source: "sidecar" | "perf" | "events" | "assumed";
        };
        /**
         * ReportTotal
         * @description Replayed microseconds of pressure; null where the kernel has no such counter.
         */
        ReportTotal: {
            /** Full Us */
            full_us: number | null;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Missing */
            missing: string[];
            /** Some Us */
            some_us: number | null;
        };
        /**
         * ReportTotals
         * @description Replayed pressure by resource.
         */
        ReportTotals: {
            /** Cpu */
            cpu: components["schemas"]["ReportTotal"] | components["schemas"]["MissingSection"];
            /** Io */
            io: components["schemas"]["ReportTotal"] | components["schemas"]["MissingSection"];
            /** Irq */
            irq: components["schemas"]["ReportTotal"] | components["schemas"]["MissingSection"];
            /** Memory */
            memory: components["schemas"]["ReportTotal"] | components["schemas"]["MissingSection"];
        };
        /**
         * ReportUnrequested
         * @description Waits of tasks that became runnable without a recorded request, mostly new ones; they are in nothing else.
         */
        ReportUnrequested: {
            /** Count */
            count: number;
            /** Max Ns */
            max_ns: number;
            /** Wait Ns */
            wait_ns: number;
        };
        /**
         * ReportUtilisation
         * @description The per-node utilisation table.
         */
        ReportUtilisation: {
            /** Cpus */
            cpus: components["schemas"]["ReportUtilisationCpu"][];
            depth: components["schemas"]["ReportDepth"];
            /** From Ns */
            from_ns: number;
            /** Imbalance */
            imbalance: components["schemas"]["ReportImbalance"][];
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Missing */
            missing: string[];
            /** Nodes */
            nodes: components["schemas"]["ReportUtilisationNode"][];
            /** Step Ns */
            step_ns: number;
            /** To Ns */
            to_ns: number;
        };
        /**
         * ReportUtilisationCpu
         * @description How a CPU spent the window.
         */
        ReportUtilisationCpu: {
            /** Busy Ns */
            busy_ns: number;
            /** Cpu */
            cpu: number;
            /** Idle Ns */
            idle_ns: number;
            /** Nid */
            nid: number;
            /** Unknown Ns */
            unknown_ns: number;
        };
        /**
         * ReportUtilisationNode
         * @description How busy a node's CPUs were together, per step and in the window.
         */
        ReportUtilisationNode: {
            /** Average */
            average: number;
            /** Busy Ns */
            busy_ns: number;
            /** Idle Ns */
            idle_ns: number;
            /** Nid */
            nid: number;
            /** Percent */
            percent: number[];
            /** Unknown Ns */
            unknown_ns: number;
        };
        /**
         * ReportWait
         * @description One wait; its causes add up to it.
         */
        ReportWait: {
            /** Antagonists */
            antagonists: components["schemas"]["ReportAntagonist"][];
            /** Causes */
            causes: components["schemas"]["ReportCause"][];
            /** Cgroup */
            cgroup: string | null;
            /** Comm */
            comm: string;
            /** Cpu */
            cpu: number;
            /** From Cpu */
            from_cpu: number;
            /** Nid */
            nid: number | null;
            others: components["schemas"]["ReportOthers"] | null;
            /** Pid */
            pid: number;
            /** Prio */
            prio: number;
            /** Switch In Ns */
            switch_in_ns: number;
            /** Task */
            task: number;
            /** Wait Ns */
            wait_ns: number;
            /** Waker Pid */
            waker_pid: number | null;
            /** Waking Ns */
            waking_ns: number;
        };
        /**
         * ReportWaitHeat
         * @description How many waits were how long when: columns of `step_ns` from `from_ns` on.
         */
        ReportWaitHeat: {
            /** Columns */
            columns: number;
            /** From Ns */
            from_ns: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Missing */
            missing: string[];
            preempted: components["schemas"]["ReportHeatWaits"];
            /** Step Ns */
            step_ns: number;
            /** To Ns */
            to_ns: number;
            wakeups: components["schemas"]["ReportHeatWaits"];
        };
        /**
         * ReportWaste
         * @description CPU time that was idle beside waiting tasks.
         */
        ReportWaste: {
            /** Affine Cpu Seconds */
            affine_cpu_seconds: number | null;
            /** Causes */
            causes: components["schemas"]["ReportCause"][];
            /** Cpu Ns */
            cpu_ns: number;
            /** Cpu Seconds */
            cpu_seconds: number;
            /** From Ns */
            from_ns: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /** Missing */
            missing: string[];
            /** Per Node */
            per_node: components["schemas"]["ReportWasteNode"][];
            series: components["schemas"]["ReportWasteSeries"];
            /** To Ns */
            to_ns: number;
        };
        /**
         * ReportWasteNode
         * @description Idle CPU time beside a node's waiting tasks.
         */
        ReportWasteNode: {
            /** Causes */
            causes: components["schemas"]["ReportCause"][];
            /** Cpu Ns */
            cpu_ns: number;
            /** Cpu Seconds */
            cpu_seconds: number;
            /** Nid */
            nid: number;
        };
        /**
         * ReportWasteSeries
         * @description Waste over time.
         */
        ReportWasteSeries: {
            /** Cpu Ns */
            cpu_ns: number[];
            /** Step Ns */
            step_ns: number;
        };
        /**
         * Reproduced
         * @description How much of what was printed a replay of events comes to.
         */
        Reproduced: {
            /**
             * Extra
             * @description Not printed, and in the replay.
             */
            extra: components["schemas"]["Miss"][];
            /** Missed */
            missed: components["schemas"]["Miss"][];
            /**
             * Percent
             * @description Null when nothing was printed.
             */
            percent: number | null;
            /** Printed */
            printed: number;
            /** Reproduced */
            reproduced: number;
            /**
             * Shifted
             * @description Of the reproduced, those more than a jiffy elsewhere in time.
             */
            shifted: number;
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
        /**
         * ResidencyNode
         * @description A task's time on a node.
         */
        ResidencyNode: {
            /** Nid */
            nid: number;
            /** Run Ns */
            run_ns: number;
        };
        /**
         * ResidencySection
         * @description Which tasks ran on which nodes, those that ran longest first.
         */
        ResidencySection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
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
            /** Tasks */
            tasks: components["schemas"]["ResidencyTask"][];
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            /**
             * Total
             * @description How many tasks there are, told or not.
             */
            total: number;
        };
        /**
         * ResidencyTask
         * @description Where a task ran.
         */
        ResidencyTask: {
            /** Comm */
            comm: string;
            /**
             * Cpus
             * @description CPUs that it ran on.
             */
            cpus: number;
            /**
             * Migrations Node
             * @description Moves to another node.
             */
            migrations_node: number;
            /** Nodes */
            nodes: components["schemas"]["ResidencyNode"][];
            /** Pid */
            pid: number;
            /** Run Ns */
            run_ns: number;
            /**
             * Task
             * @description Row of the task table.
             */
            task: number;
            /** Wait Ns */
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
        /**
         * RulesAnswer
         * @description What one kernel version's rules say of a move to a free CPU.
         */
        RulesAnswer: {
            /** Imb Numa Nr */
            imb_numa_nr: number | null;
            /**
             * Imbalance
             * @description What they leave of the imbalance; 0 is allowed.
             */
            imbalance: number | null;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * Maymove
             * @enum {string}
             */
            maymove: "allowed" | "denied" | "load_test" | "unknown";
            /**
             * Recorded
             * @description The traced kernel has them.
             */
            recorded: boolean;
            /**
             * Rules
             * @description First version with these rules.
             */
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
        /**
         * SampledTotal
         * @description Microseconds of pressure between the first and the last sample; null where the kernel has no such counter.
         */
        SampledTotal: {
            /** Full Us */
            full_us: number | null;
            /**
             * Label
             * @constant
             */
            label: "observed";
            /** Some Us */
            some_us: number | null;
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
        /**
         * Shorter
         * @description Dwells shorter than an interval.
         */
        Shorter: {
            /** Count */
            count: number;
            /**
             * Share
             * @description Of all complete dwells; null of none.
             */
            share: number | null;
            /** Than Ns */
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
        /**
         * StaleNextBalance
         * @description A CPU that stopped its tick though it is to be balanced before `next_balance`.
         */
        StaleNextBalance: {
            /** Cpu */
            cpu: number;
            /** Jiffies */
            jiffies: number;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
        };
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
        /**
         * TaskWaits
         * @description The waits of a task.
         */
        TaskWaits: {
            /**
             * Causes
             * @description What that time went to.
             */
            causes: components["schemas"]["CauseTime"][];
            /** Comm */
            comm: string;
            /** Count */
            count: number;
            /**
             * Error Percent
             * @description How far percentiles may be too high; 0 when they are exact.
             */
            error_percent: number;
            /** Max Ns */
            max_ns: number | null;
            /** P50 Ns */
            p50_ns: number | null;
            /** P90 Ns */
            p90_ns: number | null;
            /** P99 Ns */
            p99_ns: number | null;
            /** Pid */
            pid: number;
            /**
             * Preempted
             * @description Waits after a preemption, which are in none of the other numbers.
             */
            preempted: number;
            /** Preempted Ns */
            preempted_ns: number;
            /**
             * Task
             * @description Row of the task table.
             */
            task: number;
            /**
             * Wait Ns
             * @description All of them together.
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
        /**
         * ToldBy
         * @description What tells of a step of the balancer.
         */
        ToldBy: {
            /**
             * By
             * @description `made up` where no event does.
             * @example probe trigger_load_balance
             */
            by: string;
            /**
             * Label
             * @enum {string}
             */
            label: "observed" | "replayed" | "inferred" | "what-if";
        };
        /**
         * UnrequestedWaits
         * @description Waits of tasks that became runnable without a recorded request, mostly new ones; they are in nothing else.
         */
        UnrequestedWaits: {
            /** Count */
            count: number;
            /** Max Ns */
            max_ns: number;
            /** Wait Ns */
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
        /**
         * UtilisationCpu
         * @description How a CPU spent the window; the three times add up to it.
         */
        UtilisationCpu: {
            /** Busy Ns */
            busy_ns: number;
            /** Cpu */
            cpu: number;
            /** Idle Ns */
            idle_ns: number;
            /** Nid */
            nid: number;
            /** Unknown Ns */
            unknown_ns: number;
        };
        /**
         * UtilisationNode
         * @description How busy a node's CPUs were together.
         */
        UtilisationNode: {
            /** Average */
            average: number;
            /** Busy Ns */
            busy_ns: number;
            /** Idle Ns */
            idle_ns: number;
            /** Nid */
            nid: number;
            /**
             * Percent
             * @description Per step from the window's begin; the last step may be shorter.
             */
            percent: number[];
            /**
             * Unknown Ns
             * @description Nobody can say: events were lost, or the CPU's first one is yet to come.
             */
            unknown_ns: number;
        };
        /**
         * UtilisationSection
         * @description The per-node utilisation table.
         */
        UtilisationSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /** Cpus */
            cpus: components["schemas"]["UtilisationCpu"][];
            depth: components["schemas"]["Depth"];
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /** Imbalance */
            imbalance: components["schemas"]["ImbalanceStep"][];
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
            nodes: components["schemas"]["UtilisationNode"][];
            /** Step Ns */
            step_ns: number;
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * Violation
         * @description Something was printed that the replay does not come to.
         */
        Violation: {
            /** Check */
            check: string;
            /** Cpu */
            cpu: number;
            /** Group */
            group: number;
            /** Printed */
            printed: string;
            /** Reason */
            reason: string;
            /** Replayed */
            replayed: string;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
        };
        /**
         * VmstatRow
         * @description A row of mmtests' table.
         */
        VmstatRow: {
            /**
             * Name
             * @description mmtests' name; null for what mmtests has not.
             */
            name: string | null;
            /**
             * Row
             * @example hint_faults
             */
            row: string;
            /**
             * Value
             * @description Null when a counter was not read.
             */
            value: number | null;
        };
        /**
         * VmstatSection
         * @description The counters of /proc/vmstat between the window's first and last sample.
         */
        VmstatSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Sampled From Ns
             * @example 172800000000000
             */
            sampled_from_ns: string;
            /**
             * Sampled To Ns
             * @example 172800000000000
             */
            sampled_to_ns: string;
            table: components["schemas"]["VmstatTable"];
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * VmstatTable
         * @description What the counters counted.
         */
        VmstatTable: {
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
            /** Rows */
            rows: components["schemas"]["VmstatRow"][];
        };
        /**
         * Wait
         * @description One wait for a CPU; its causes add up to it.
         */
        Wait: {
            /**
             * Antagonists
             * @description Who ran on `cpu` meanwhile, the longest first.
             */
            antagonists: components["schemas"]["Antagonist"][];
            /** Causes */
            causes: components["schemas"]["CauseTime"][];
            /**
             * Cgroup
             * @description Null when cgroups are not known.
             */
            cgroup: string | null;
            /** Comm */
            comm: string;
            /**
             * Cpu
             * @description Where it got its CPU.
             */
            cpu: number;
            /**
             * From Cpu
             * @description Where it became runnable.
             */
            from_cpu: number;
            /** Nid */
            nid: number | null;
            others: components["schemas"]["OtherTasks"] | null;
            /** Pid */
            pid: number;
            /**
             * Prio
             * @description As the kernel counts: 120 is nice 0.
             */
            prio: number;
            /**
             * Switch In Ns
             * @example 172800000000000
             */
            switch_in_ns: string;
            /**
             * Task
             * @description Row of the task table.
             */
            task: number;
            /** Wait Ns */
            wait_ns: number;
            /** Waker Pid */
            waker_pid: number | null;
            /**
             * Waking Ns
             * @description What the wait began with.
             * @example 172800000000000
             */
            waking_ns: string;
        };
        /**
         * WaitHeatSection
         * @description How many waits were how long when.
         */
        WaitHeatSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /** Columns */
            columns: number;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
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
            preempted: components["schemas"]["HeatWaits"];
            /**
             * Step Ns
             * @description Length of a column, from the window's begin on; the last one may be shorter.
             */
            step_ns: number;
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            wakeups: components["schemas"]["HeatWaits"];
        };
        /**
         * WaitMove
         * @description A move of the task to another CPU during its wait.
         */
        WaitMove: {
            /**
             * By Cpu
             * @description The CPU that moved it.
             */
            by_cpu: number;
            /** From Cpu */
            from_cpu: number;
            /**
             * T Ns
             * @example 172800000000000
             */
            t_ns: string;
            /** To Cpu */
            to_cpu: number;
        };
        /**
         * WaitRunner
         * @description Who ran on the task's CPU meanwhile, cut to the wait. Short stays are one where there are many.
         */
        WaitRunner: {
            /** Comm */
            comm: string;
            /**
             * Count
             * @description How many stays it is.
             */
            count: number;
            /** Cpu */
            cpu: number;
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * Numa Group
             * @description Null when it has none or nothing tells.
             */
            numa_group: number | null;
            /** Pid */
            pid: number;
            /** Run Ns */
            run_ns: number;
            /**
             * Task
             * @description Row of the task table: who ran longest in it.
             */
            task: number;
            /**
             * Tasks
             * @description How many tasks there are in it.
             */
            tasks: number;
            /**
             * To Ns
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * WaitSection
         * @description One wait, told from its begin to its end.
         */
        WaitSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * Began
             * @enum {string}
             */
            began: "waking" | "wakeup" | "preempted";
            /**
             * Chain
             * @description Who woke it, who woke that one, and so on; times go back.
             */
            chain: components["schemas"]["WakeHop"][];
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
            /** Idle Cpus */
            idle_cpus: components["schemas"]["IdleCpu"][];
            /** Idle Cpus More */
            idle_cpus_more: number;
            /**
             * Idle Label
             * @description How well it is known which idle CPUs could have taken the task.
             * @enum {string}
             */
            idle_label: "observed" | "replayed" | "inferred" | "what-if";
            /** Idle Missing */
            idle_missing: string[];
            /** Idle Nodes */
            idle_nodes: components["schemas"]["IdleNode"][];
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
            /** Moves */
            moves: components["schemas"]["WaitMove"][];
            /** Moves More */
            moves_more: number;
            /** Numa Group */
            numa_group: number | null;
            /** Runners */
            runners: components["schemas"]["WaitRunner"][];
            /**
             * Segments
             * @description What it was spent on, without a hole.
             */
            segments: components["schemas"]["WaitSegment"][];
            /** Slept In */
            slept_in: string | null;
            /**
             * Slept Ns
             * @description When the sleep that the wait ended began.
             */
            slept_ns: string | null;
            /**
             * Stop
             * @description Why the chain goes back no further.
             * @enum {string}
             */
            stop: "interrupt" | "softirq" | "idle" | "ran_already" | "preempted" | "limit" | "not_recorded" | "lost_events";
            /** Stretches */
            stretches: components["schemas"]["WaitStretch"][];
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            wait: components["schemas"]["Wait"];
        };
        /**
         * WaitSegment
         * @description A part of a wait; the next one begins where it ends. Short ones are one where there are many.
         */
        WaitSegment: {
            /**
             * Causes
             * @description Adds up to its length.
             */
            causes: components["schemas"]["CauseTime"][];
            /**
             * Count
             * @description How many parts it is.
             */
            count: number;
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * To Ns
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * WaitStretch
         * @description Where the task was during a part of its wait.
         */
        WaitStretch: {
            /** Cpu */
            cpu: number;
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /** Nid */
            nid: number | null;
            /**
             * Queued
             * @description On that CPU's queue; else about to come there.
             */
            queued: boolean;
            /**
             * To Ns
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * WaitsSection
         * @description The longest waits of a length and of a time.
         */
        WaitsSection: {
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /**
             * Count
             * @description How many there are, told or not.
             */
            count: number;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
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
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
            /**
             * Wait Ns
             * @description All of them together.
             */
            wait_ns: number;
            /** Waits */
            waits: components["schemas"]["Wait"][];
        };
        /**
         * WakeHop
         * @description One who woke the one before it.
         */
        WakeHop: {
            /** Comm */
            comm: string | null;
            /**
             * Context
             * @description What that CPU was doing.
             * @enum {string}
             */
            context: "task" | "idle" | "softirq" | "interrupt" | "unknown";
            /** Cpu */
            cpu: number;
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
            /** Nid */
            nid: number | null;
            /**
             * Pid
             * @description Who was on the CPU that asked: in an interrupt a bystander.
             */
            pid: number | null;
            /**
             * Preempted Ns
             * @description How long it was off the CPU by preemption until it asked.
             */
            preempted_ns: number;
            /**
             * Ran Ns
             * @description When it got a CPU after that.
             */
            ran_ns: string | null;
            /**
             * Slept In
             * @description In which state, as the kernel prints it.
             */
            slept_in: string | null;
            /**
             * Slept Ns
             * @description When its own sleep began.
             */
            slept_ns: string | null;
            /**
             * T Ns
             * @description When it asked for the wake-up.
             * @example 172800000000000
             */
            t_ns: string;
            /**
             * Wait Ns
             * @description Its own wait: from woken_ns to ran_ns.
             */
            wait_ns: number | null;
            /**
             * Woken Ns
             * @description When its own wake-up was asked for.
             */
            woken_ns: string | null;
        };
        /**
         * WasteNode
         * @description Time in which a node's CPUs were idle while tasks waited.
         */
        WasteNode: {
            /** Causes */
            causes: components["schemas"]["CauseTime"][];
            /** Cpu Ns */
            cpu_ns: number;
            /** Cpu Seconds */
            cpu_seconds: number;
            /** Nid */
            nid: number;
        };
        /**
         * WasteSection
         * @description CPU time that was idle beside waiting tasks; each nanosecond has one cause.
         */
        WasteSection: {
            /**
             * Affine Cpu Seconds
             * @description Counting only CPUs that the tasks may use; null when unknown.
             */
            affine_cpu_seconds: number | null;
            /**
             * Available
             * @default true
             * @constant
             */
            available: true;
            /** Causes */
            causes: components["schemas"]["CauseTime"][];
            /** Cpu Ns */
            cpu_ns: number;
            /** Cpu Seconds */
            cpu_seconds: number;
            /**
             * From Ns
             * @description Begin of the window that it is about.
             * @example 172800000000000
             */
            from_ns: string;
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
            /** Per Node */
            per_node: components["schemas"]["WasteNode"][];
            series: components["schemas"]["WasteSeries"];
            /**
             * To Ns
             * @description Its end.
             * @example 172800000000000
             */
            to_ns: string;
        };
        /**
         * WasteSeries
         * @description Waste over time.
         */
        WasteSeries: {
            /** Cpu Ns */
            cpu_ns: number[];
            /** Step Ns */
            step_ns: number;
        };
        /**
         * WasteStretch
         * @description A time in which idle CPUs with an overdue balance stood beside waiting tasks.
         */
        WasteStretch: {
            /** Cpu Ms */
            cpu_ms: number;
            /**
             * From Ns
             * @example 172800000000000
             */
            from_ns: string;
            /**
             * To Ns
             * @example 172800000000000
             */
            to_ns: string;
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
    getBalancing: {
        parameters: {
            query?: {
                /** @description Most entries of each list of tasks or waits. */
                limit?: number;
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
                    "application/json": components["schemas"]["BalancingSection"] | components["schemas"]["MissingPart"];
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
                /** @description What if cling's degree had been this, percent. */
                degree?: number | null;
                /** @description What makes tasks a numa group: what was recorded, or as if each cgroup had been given one. */
                groups?: ("recorded" | "cgroup") | null;
                /** @description Most entries of each list of tasks or waits. */
                limit?: number;
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
                    "application/json": components["schemas"]["ClingSection"] | components["schemas"]["MissingPart"];
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
                /** @description Rules of this kernel version in place of those of the traced kernel. */
                psi_rules?: ("4.20" | "5.7" | "5.14" | "5.17" | "6.4") | null;
                /** @description Jiffies per second in place of what the recording tells. */
                hz?: number | null;
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
                    "application/json": components["schemas"]["FindingsSection"] | components["schemas"]["MissingPart"];
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
    getIlb: {
        parameters: {
            query?: {
                /** @description Whose doings are told: 2011 without or with the patch, or 5.2 and later; by the kernel unless given. */
                model?: "auto" | "2011" | "2011-patched" | "modern";
                /** @description Most entries of each list of tasks or waits. */
                limit?: number;
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
                    "application/json": components["schemas"]["IlbSection"] | components["schemas"]["MissingPart"];
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
                /** @description Most entries of each list of tasks or waits. */
                limit?: number;
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
                    "application/json": components["schemas"]["LatencySection"] | components["schemas"]["MissingPart"];
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
    getMigration: {
        parameters: {
            query?: {
                /** @description How long a task must stay for its pages to be worth the way; 1 s unless given. */
                amortisation_ns?: number | null;
                /** @description Length of a step in ns; a window may have 8,192 of them. */
                step_ns?: number | null;
                /** @description Migration interval of the what-if in s; 30 unless given. */
                interval_s?: number | null;
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
                    "application/json": components["schemas"]["MigrationSection"] | components["schemas"]["MissingPart"];
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
                /** @description Length of a step in ns; a window may have 8,192 of them. */
                step_ns?: number | null;
                /** @description Most numa groups that get rows of their own; the others share one. */
                limit?: number;
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
                    "application/json": components["schemas"]["PlacementSection"] | components["schemas"]["MissingPart"];
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
    getPressure: {
        parameters: {
            query?: {
                /** @description Rules of this kernel version in place of those of the traced kernel. */
                psi_rules?: ("4.20" | "5.7" | "5.14" | "5.17" | "6.4") | null;
                /** @description Jiffies per second in place of what the recording tells. */
                hz?: number | null;
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
                    "application/json": components["schemas"]["PressureSection"] | components["schemas"]["MissingPart"];
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
                /** @description Most entries of each list of tasks or waits. */
                limit?: number;
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
                    "application/json": components["schemas"]["ResidencySection"] | components["schemas"]["MissingPart"];
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
                /** @description Length of a step in ns; a window may have 8,192 of them. */
                step_ns?: number | null;
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
                    "application/json": components["schemas"]["UtilisationSection"] | components["schemas"]["MissingPart"];
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
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VmstatSection"] | components["schemas"]["MissingPart"];
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
                /** @description Who waited. */
                pid?: number | null;
                /** @description Where it got its CPU. */
                cpu?: number | null;
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
                    "application/json": components["schemas"]["WaitSection"] | components["schemas"]["MissingPart"];
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
                /** @description Columns at most. */
                columns?: number;
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
                    "application/json": components["schemas"]["WaitHeatSection"] | components["schemas"]["MissingPart"];
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
                /** @description Waits that began with which of the two. */
                kind?: "wakeups" | "preempted";
                /** @description ns. */
                least_ns?: number | null;
                /** @description ns. */
                below_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                ended_from_ns?: number | null;
                /** @description Absolute ns of the trace's clock. */
                ended_to_ns?: number | null;
                /** @description Most entries of each list of tasks or waits. */
                limit?: number;
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
                    "application/json": components["schemas"]["WaitsSection"] | components["schemas"]["MissingPart"];
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
                /** @description Length of a step in ns; a window may have 8,192 of them. */
                step_ns?: number | null;
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
                    "application/json": components["schemas"]["WasteSection"] | components["schemas"]["MissingPart"];
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
            /** @description Successful Response */
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

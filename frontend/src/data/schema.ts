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
         * @description All analyses, newest first.
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
         * @description Gives an analysis another title.
         */
        patch: operations["changeAnalysis"];
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
         * @description Makes a link that opens this analysis read-only at a view. Its secret is told here and never again.
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
        patch?: never;
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
    "/api/v1/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Info
         * @description Version, caps, and whether the asker is an owner.
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
         * @description What a link opens. 404: unknown. 410: revoked or expired.
         *
         *     After that, GET requests for the analysis carry the secret in the header `X-NumaLens-Share`.
         */
        post: operations["openShare"];
        delete?: never;
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
            error?: components["schemas"]["InputFailure"] | null;
            /** Id */
            id: string;
            /** Inputs */
            inputs: components["schemas"]["AnalysisInput"][];
            /**
             * Offsets
             * @description Shifts that the owner asked for: shown name of an input to the ns added to its own times.
             */
            offsets: {
                [key: string]: string;
            };
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
            error?: components["schemas"]["InputFailure"] | null;
            /** Id */
            id: string;
            /** Inputs */
            inputs: components["schemas"]["AnalysisInput"][];
            /**
             * Offsets
             * @description Shifts that the owner asked for: shown name of an input to the ns added to its own times.
             */
            offsets: {
                [key: string]: string;
            };
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
         * @description All analyses, newest first.
         */
        AnalysisList: {
            /** Analyses */
            analyses: components["schemas"]["Analysis"][];
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
         * @description The changeable part of an analysis.
         */
        ChangeAnalysis: {
            /** Title */
            title: string;
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
         * CreateShare
         * @description A view to be shared.
         */
        CreateShare: {
            /** Expires In S */
            expires_in_s?: number | null;
            /**
             * View
             * @description The page's query string.
             */
            view: string;
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
             * @description True when the asker may upload, delete and share.
             */
            owner: boolean;
            /** Version */
            version: string;
        };
        /**
         * InputFailure
         * @description Why an analysis failed, and where in which file.
         */
        InputFailure: {
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
         * Limits
         * @description The caps that this server keeps to.
         */
        Limits: {
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
         * MissingNuma
         * @description The NUMA balancing sections, none of which has content.
         */
        MissingNuma: {
            ops: components["schemas"]["MissingSection"];
            ops_mmtests: components["schemas"]["MissingSection"];
            vmstat: components["schemas"]["MissingSection"];
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
            /** View */
            view: string;
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
             * Stage
             * @example storing
             * @example unpacking
             * @example converting
             * @example decoding
             * @example indexing
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
         * Report
         * @description The whole report. Times are ns of the trace's own clock.
         */
        Report: {
            cling: components["schemas"]["MissingCling"];
            /** Event Counts */
            event_counts: {
                [key: string]: number;
            };
            /** Findings */
            findings: components["schemas"]["ReportFinding"][] | components["schemas"]["MissingSection"];
            ilb: components["schemas"]["MissingSection"];
            /** Inputs */
            inputs: {
                [key: string]: unknown;
            }[];
            /** Latency */
            latency: components["schemas"]["ReportLatency"] | components["schemas"]["MissingSection"];
            migrate_on_fault: components["schemas"]["MissingSection"];
            /** Notes */
            notes: string[];
            numa: components["schemas"]["MissingNuma"];
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

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
         * Pressure
         * @description The pressure sections.
         */
        Pressure: {
            cgroups: components["schemas"]["MissingSection"];
            /** Sampled */
            sampled: components["schemas"]["MissingSection"] | {
                [key: string]: components["schemas"]["SampledTotal"];
            };
            series: components["schemas"]["MissingSection"];
            system: components["schemas"]["MissingSection"];
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
            findings: components["schemas"]["MissingSection"];
            ilb: components["schemas"]["MissingSection"];
            /** Inputs */
            inputs: {
                [key: string]: unknown;
            }[];
            latency: components["schemas"]["MissingSection"];
            migrate_on_fault: components["schemas"]["MissingSection"];
            /** Notes */
            notes: string[];
            numa: components["schemas"]["MissingNuma"];
            psi: components["schemas"]["Pressure"];
            /**
             * Schema
             * @constant
             */
            schema: "numalens.report/1";
            topology: components["schemas"]["ReportTopology"];
            utilisation: components["schemas"]["MissingSection"];
            waste: components["schemas"]["MissingSection"];
            /** Window Ns */
            window_ns: number[];
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

/** Section `ilb` as the service documents it: kicks, the idle mask, balancing that was overdue. */

import type { Label } from "../logic/describe.ts";

type Ns = string;

export interface IlbEvent {
  readonly t_ns: Ns;
  /** kick_sent, pick_blocked, stale_next_balance, pass. */
  readonly kind: string;
  /** Who kicked, null where nothing shows it; of a stale balance whose it was. */
  readonly cpu: number | null;
  readonly target?: number | null;
  readonly label: Label;
  /** Of a kick: handled, dropped, latched, aborted, not_seen. */
  readonly fate?: string | null;
  readonly arrived_ns?: Ns | null;
  readonly handled_ns?: Ns | null;
  readonly flags?: number | null;
  /** Of a model: what made it kick. */
  readonly why?: string | null;
  readonly jiffies?: number | null;
}

export interface IlbObservation {
  readonly by: string;
  readonly label: Label;
}

export interface IlbSection {
  readonly available: true;
  readonly from_ns: Ns;
  readonly to_ns: Ns;
  readonly label: Label;
  readonly missing: readonly string[];
  readonly model: string;
  readonly kernel?: string | null;
  readonly hz?: number | null;
  readonly observation?: Readonly<Record<string, IlbObservation>>;
  readonly kicks: {
    readonly sent: number;
    readonly handled: number;
    readonly dropped: number;
    readonly latched?: number;
    readonly not_seen?: number;
    readonly label?: Label;
    readonly missing?: readonly string[];
  };
  readonly events: readonly IlbEvent[];
  /** How many there are; more than are listed where a narrower window has to be asked for. */
  readonly events_all?: number;
  readonly idle_mask: readonly {
    readonly cpu: number;
    readonly spans: readonly (readonly [Ns, Ns])[];
  }[];
  /** Times in the mask that are close to each other are told as one. */
  readonly thinned?: boolean;
}

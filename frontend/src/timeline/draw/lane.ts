/** Where a lane stands on the canvas, and how a CPU's lane is divided. */

export interface LanePlace {
  readonly y: number;
  readonly height: number;
  readonly width: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

export interface CpuStrips {
  readonly waitTop: number;
  readonly waitHeight: number;
  readonly runTop: number;
  readonly runHeight: number;
}

export function cpuStrips(height: number): CpuStrips {
  const waitHeight = Math.max(5, Math.round(height * 0.22));
  const runTop = 1 + waitHeight + 1;
  return { waitTop: 1, waitHeight, runTop, runHeight: height - runTop - 2 };
}

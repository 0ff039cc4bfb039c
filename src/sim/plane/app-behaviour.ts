/** How the app of a pod behaves. The test bed's app has the same settings in its environment. */
export interface AppBehaviour {
  /** From the start of the container until it answers. */
  readonly startMs: number
  /** `immediate`: exits on SIGTERM, whatever is under way is cut. `graceful`: serves on for `graceMs`, then exits. */
  readonly stop: 'immediate' | 'graceful'
  readonly graceMs: number
  /** How long an answer takes. */
  readonly answerMs: number
  /** It answers nothing but checks: it forwards to the endpoints of this Service (`NAMESPACE/NAME`, or one of its own). */
  readonly forwardsTo?: string
  /** It ends by itself, without being told to. */
  readonly ends?: { readonly afterMs: number; readonly exitCode: number }
  /** It answers DNS for this zone as well, on a port of its own; in real time alone. */
  readonly dns?: { readonly zone: string; readonly port: number }
}

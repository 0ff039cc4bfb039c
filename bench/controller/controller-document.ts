/** What `bench/controller.ts` found; times are of one processor, in ms, for one change. */
export interface ControllerDocument {
  readonly bench: 'controller'
  readonly nodes: number
  readonly pods: number
  readonly changes: number
  /** From the line of the watch to the end of the brake's pass, which looks at all nodes. */
  readonly fleetMs: number
  /** The line read and its node put into the cache, and nothing decided. */
  readonly cachedMs: number
  /** From a pod's change to the end of the pass of its node's key, which looks at that node and its pods. */
  readonly keyMs: number
  /** A key through the queue, with nothing read or decided. */
  readonly queueMs: number
}

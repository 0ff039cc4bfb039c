/** The pod that this process runs in, where it rolls the nodes of its own cluster. */
export interface OwnPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly node: string
}

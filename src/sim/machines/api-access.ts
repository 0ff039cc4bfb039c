/** Whether the API server can be reached from one place in the cluster: faults cut a node off, or take the server away. */
export interface ApiAccess {
  isReachable(): boolean
}

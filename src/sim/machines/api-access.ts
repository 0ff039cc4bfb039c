/** Whether the API server can be reached from where somebody stands: faults cut a node off, or take the server away. */
export interface ApiAccess {
  isReachable(): boolean
}

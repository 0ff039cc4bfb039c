/** Where something listens; the address may be a host's name. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

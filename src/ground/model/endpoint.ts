/** The place where something listens; the address may be a host name. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

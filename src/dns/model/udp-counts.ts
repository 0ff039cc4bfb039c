/** What a DNS server says that it has done over UDP since its process began. Both only rise while it runs. */
export interface UdpCounts {
  readonly received: number
  readonly answered: number
}

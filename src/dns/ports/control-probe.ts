import type { Endpoint } from '../../ground/model/endpoint.ts'

/** What has nothing to do with DNS and must be reached from a place for its word on DNS to count. */
export interface ControlProbe {
  /** Whether the API server of a cluster answers at this address of its Service. Rejects by abort alone. */
  reaches(api: Endpoint, signal: AbortSignal): Promise<boolean>
}

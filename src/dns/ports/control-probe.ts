import type { Endpoint } from '../../ground/model/endpoint.ts'

/** A target that does not depend on DNS. A place must reach it for its readings of DNS to count. */
export interface ControlProbe {
  /** Whether the API server of a cluster answers at this address of its Service. Rejects by abort alone. */
  reaches(api: Endpoint, signal: AbortSignal): Promise<boolean>
}

import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import { canonicalAddress } from '../../ground/model/ip-address.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { DataPort } from '../../ground/ports/data-port.ts'

export interface DataPortParts {
  readonly dataPort: DataPort
  readonly clock: Clock
}

const ASK_LIMIT_MS = 1000

/** Whether something listens there. A port that is slow to answer is silent. Undefined: this machine can make no connection. */
export async function askDataPort(
  { dataPort, clock }: DataPortParts,
  { address, port }: Endpoint,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const deadline = { clock, limitMs: ASK_LIMIT_MS, signal, what: 'a data port' }
  try {
    return await withDeadline(deadline, (limited) =>
      dataPort.answers({ address: canonicalAddress(address), port }, limited),
    )
  } catch (error) {
    if (error instanceof DeadlineError) return false
    if (error instanceof WorldError) return undefined
    throw error
  }
}

import { auditedRequests } from '../../test/support/roll-input/audited-requests.ts'
import { AppendedLines } from './appended-lines.ts'

const LEADER_LEASE = 'leases/evenkeel-controller'

/** Counts the writes that one user asked a real API server for, whatever came of them, by its audit log. */
export class AuditedWrites {
  readonly #lines: AppendedLines
  readonly #user: string
  #count = 0

  constructor(auditLog: string, user: string) {
    this.#lines = new AppendedLines(auditLog)
    this.#user = user
  }

  /** Up to now, but those of the leader's Lease. */
  async count(): Promise<number> {
    await this.#lines.read((lines) => {
      const own = lines.split('\n').filter((line) => line.includes(this.#user))
      const { writes } = auditedRequests(own.join('\n'))
      this.#count += writes.filter((write) => this.#isCounted(write)).length
    })
    return this.#count
  }

  close(): Promise<void> {
    return this.#lines.close()
  }

  #isCounted(write: string): boolean {
    return write.startsWith(`${this.#user} `) && !write.endsWith(` ${LEADER_LEASE}`)
  }
}

import { AppendedLines } from './appended-lines.ts'

/** One line of the audit log (audit.k8s.io/v1 Event), as far as it is read here. */
interface AuditEvent {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource?: string; readonly name?: string }
}

const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection']

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
      this.#count += own.filter((line) => this.#isCounted(JSON.parse(line))).length
    })
    return this.#count
  }

  close(): Promise<void> {
    return this.#lines.close()
  }

  #isCounted({ verb, user, objectRef = {} }: AuditEvent): boolean {
    const isOfLeader = objectRef.resource === 'leases' && objectRef.name === 'evenkeel-controller'
    return user.username === this.#user && WRITES.includes(verb) && !isOfLeader
  }
}

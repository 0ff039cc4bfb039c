/** One line of the API server's audit log (audit.k8s.io/v1 Event), as far as it is read here. */
interface AuditEvent {
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource?: string; readonly name?: string }
}

const READS = ['get', 'list', 'watch']
/** Asking what one may do is a `create`, and nothing comes of it; nor of a write that says itself that it is none. */
const isQuestion = ({ requestURI, objectRef }: AuditEvent): boolean =>
  objectRef?.resource === 'selfsubjectaccessreviews' || /[?&]dryRun=All(&|$)/.test(requestURI)

/** What `evenkeel` asked the API server for, under any identity: `reads` counted, `writes` one line each. */
export function auditedRequests(log: string): { readonly reads: number; readonly writes: readonly string[] } {
  const events = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ userAgent = '' }) => userAgent.startsWith('evenkeel/'))
  const writes = events.filter((event) => !READS.includes(event.verb) && !isQuestion(event))
  return {
    reads: events.filter(({ verb }) => READS.includes(verb)).length,
    writes: writes.map(
      ({ verb, user, objectRef = {} }) => `${user.username} ${verb} ${objectRef.resource}/${objectRef.name}`,
    ),
  }
}

import { budgetAccess, eventAccess, spareAccess, wantedAccess } from '../../../src/roll/decide/plan/wanted-access.ts'

/** One line of the API server's audit log (audit.k8s.io/v1 Event), as far as it is read here. */
interface AuditEvent {
  readonly user: { readonly username: string }
  readonly verb: string
  readonly requestURI?: string
  readonly objectRef?: {
    readonly apiGroup?: string
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly responseStatus?: { readonly code?: number }
}

const eventsOf = (lines: readonly string[], user: string): readonly AuditEvent[] =>
  lines.map((line) => JSON.parse(line) as AuditEvent).filter((event) => event.user.username === user)

const described = ({ verb, objectRef = {} }: AuditEvent): string =>
  `${verb} ${objectRef.resource}${objectRef.subresource === undefined ? '' : `/${objectRef.subresource}`} ${objectRef.apiGroup ?? ''}`.trim()

/** Requests that the API server forbade. */
export const refusedRequests = (lines: readonly string[], user: string): readonly string[] =>
  eventsOf(lines, user)
    .filter(({ responseStatus }) => responseStatus?.code === 403 || responseStatus?.code === 401)
    .map(described)

const WRITES = new Set(['create', 'update', 'patch', 'delete'])

/** What it wrote or tried to write, as `patch deployments apps web`. */
export const writesOf = (lines: readonly string[], user: string): readonly string[] =>
  eventsOf(lines, user)
    .filter(({ verb }) => WRITES.has(verb))
    .map((event) => `${described(event)} ${event.objectRef?.name ?? ''}`)

/** Rights that were never used; a write that is tried and not made uses none. */
export function unusedRules(lines: readonly string[], user: string): readonly string[] {
  const isTrial = ({ requestURI = '' }: AuditEvent): boolean => /[?&]dryRun=All(&|$)/.test(requestURI)
  const made = eventsOf(lines, user).filter((event) => !isTrial(event))
  const used = new Set(made.map(described))
  const slots = { namespace: 'evenkeel', leaseDurationMs: 120_000 }
  return [
    ...wantedAccess('evenkeel'),
    ...budgetAccess(slots),
    ...spareAccess({ namespace: 'evenkeel' }),
    ...eventAccess,
  ]
    .map(({ verb, group, resource, subresource }) =>
      `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} ${group}`.trim(),
    )
    .filter((right) => !used.has(right))
}

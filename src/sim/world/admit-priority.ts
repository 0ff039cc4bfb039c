import { ApiFailure } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import { PRIORITY_CLASSES } from './api-resource.ts'
import { isMap } from './merge-patch.ts'
import type { World } from './world.ts'

type JsonMap = Readonly<Record<string, unknown>>

interface Priority {
  readonly value?: unknown
  readonly preemptionPolicy?: unknown
}

const PREEMPTS = { preemptionPolicy: 'PreemptLowerPriority' }

/** The classes that an API server makes for itself (pkg/apis/scheduling/v1/helpers.go). */
const SYSTEM_CLASSES: Readonly<Record<string, Priority>> = {
  'system-node-critical': { value: 2_000_001_000 },
  'system-cluster-critical': { value: 2_000_000_000 },
}

/** Gives a new pod the priority of its class. Throws ApiFailure 403 (plugin/pkg/admission/priority/admission.go). */
export function withPriority(world: World, pod: JsonMap, name: string): JsonMap {
  const spec = isMap(pod.spec) ? pod.spec : {}
  const { value = 0, preemptionPolicy, ...named } = priorityFor(world, spec, name)
  const given = { ...PREEMPTS, ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }) }
  const { priority = value, preemptionPolicy: policy = given.preemptionPolicy } = spec
  const computed = 'priority admission controller computed'
  const from = 'from the given PriorityClass name'
  if (priority !== value) {
    const said = `the integer value of priority (${String(priority)}) must not be provided in pod spec`
    throw forbidden(name, `${said}; ${computed} ${String(value)} ${from}`)
  }
  if (policy !== given.preemptionPolicy) {
    const said = `the string value of PreemptionPolicy (${String(policy)}) must not be provided in pod spec`
    throw forbidden(name, `${said}; ${computed} ${String(given.preemptionPolicy)} ${from}`)
  }
  return { ...pod, spec: { ...spec, ...named, priority: value, ...given } }
}

function priorityFor({ store }: World, { priorityClassName }: JsonMap, pod: string): Priority & JsonMap {
  if (typeof priorityClassName !== 'string' || priorityClassName === '') {
    const usual = [...store.all(PRIORITY_CLASSES)].filter(({ globalDefault }) => globalDefault === true)
    const [lowest] = usual.toSorted((a, b) => Number(a.value) - Number(b.value))
    return lowest === undefined ? {} : { ...ofClass(lowest), priorityClassName: lowest.metadata.name }
  }
  const found = store.get(PRIORITY_CLASSES, { name: priorityClassName })
  if (found !== undefined) return { ...ofClass(found) }
  const known = SYSTEM_CLASSES[priorityClassName]
  if (known === undefined) throw forbidden(pod, `no PriorityClass with name ${priorityClassName} was found`)
  return { ...known }
}

const ofClass = ({ value, preemptionPolicy }: ApiObject): Priority => ({ value, preemptionPolicy })

const forbidden = (name: string, why: string): ApiFailure =>
  new ApiFailure({
    code: 403,
    reason: 'Forbidden',
    message: `pods "${name}" is forbidden: ${why}`,
    details: { name, kind: 'pods' },
  })

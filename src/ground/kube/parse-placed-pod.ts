import { parseRequiredNodeAffinity } from '../model/node-affinity.ts'
import { parseLabelSelector } from '../model/parse-label-selector.ts'
import type { Pod } from '../model/pod.ts'
import type { ApartTerm, PodPlacement, SpreadRule } from '../model/pod-placement.ts'
import { present } from '../model/present.ts'
import { type Amount, quantity } from '../model/quantity.ts'
import { parseToleration } from '../model/tolerations.ts'
import { MalformedReply, type Untrusted } from '../model/untrusted.ts'
import { parsePod } from './parse-pod.ts'

/** A Pod with the fields that the scheduler uses. A placement that makes no sense is left out; the pod is kept. */
export function parsePlacedPod(object: Untrusted): Pod {
  const pod = parsePod(object)
  try {
    return { ...pod, placement: parsePlacement(object.at('spec'), pod.namespace) }
  } catch (error) {
    if (error instanceof MalformedReply) return pod
    throw error
  }
}

function parsePlacement(spec: Untrusted, namespace: string): PodPlacement {
  const required = spec.at('affinity').at('podAntiAffinity').at('requiredDuringSchedulingIgnoredDuringExecution')
  const spread = spec.at('topologySpreadConstraints').each()
  return {
    requests: podRequests(spec),
    priority: spec.at('priority').integerOr(0),
    nodeSelector: spec.at('nodeSelector').textMap(),
    ...present({ terms: parseRequiredNodeAffinity(spec) }),
    tolerations: spec.at('tolerations').each().map(parseToleration),
    hostPorts: spec.at('containers').each().flatMap(hostPortsOf),
    apart: required.each().flatMap((term) => apartTerm(term, namespace)),
    spread: spread.filter((rule) => rule.at('whenUnsatisfiable').textOr('') === 'DoNotSchedule').map(spreadRule),
  }
}

/** Init containers run one after another, before the others; those that are restarted go on running beside them (KEP-753). */
function podRequests(spec: Untrusted): Amount {
  let besides = NOTHING
  let largest = NOTHING
  for (const init of spec.at('initContainers').each()) {
    const own = requestsOf(init.at('resources'))
    largest = larger(largest, sum(besides, own))
    if (init.at('restartPolicy').textOr('') === 'Always') besides = sum(besides, own)
  }
  const running = spec
    .at('containers')
    .each()
    .map((container) => requestsOf(container.at('resources')))
    .reduce(sum, besides)
  const ofPod = spec.at('resources')
  const whole = ofPod.absent ? larger(running, largest) : { ...larger(running, largest), ...stated(ofPod) }
  return sum(whole, amount(spec.at('overhead').textMap()))
}

const NOTHING: Amount = { cpuMilli: 0, memoryBytes: 0 }

const sum = (one: Amount, other: Amount): Amount => ({
  cpuMilli: one.cpuMilli + other.cpuMilli,
  memoryBytes: one.memoryBytes + other.memoryBytes,
})

const larger = (one: Amount, other: Amount): Amount => ({
  cpuMilli: Math.max(one.cpuMilli, other.cpuMilli),
  memoryBytes: Math.max(one.memoryBytes, other.memoryBytes),
})

/** A limit without a request is the request as well (the API server's defaults). */
const requestsOf = (resources: Untrusted): Amount => ({ ...NOTHING, ...stated(resources) })

const stated = (resources: Untrusted): Partial<Amount> =>
  partialAmount({ ...resources.at('limits').textMap(), ...resources.at('requests').textMap() })

export const amount = (list: Readonly<Record<string, string>>): Amount => ({ ...NOTHING, ...partialAmount(list) })

function partialAmount({ cpu, memory }: Readonly<Record<string, string>>): Partial<Amount> {
  const [cores, bytes] = [quantity(cpu ?? ''), quantity(memory ?? '')]
  return {
    ...(cores === undefined ? {} : { cpuMilli: Math.ceil(Math.round(cores * 1e6) / 1e3) }),
    ...present({ memoryBytes: bytes }),
  }
}

const hostPortsOf = (container: Untrusted): readonly string[] =>
  container
    .at('ports')
    .each()
    .flatMap((port) => {
      const number = port.at('hostPort').integerOr(0)
      return number === 0 ? [] : [`${number}/${port.at('protocol').textOr('TCP')}`]
    })

/** A term that selects namespaces by their labels is left out: namespaces are not read. */
function apartTerm(term: Untrusted, own: string): readonly ApartTerm[] {
  const chosen = term.at('namespaceSelector')
  const names = term
    .at('namespaces')
    .each()
    .map((name) => name.text())
  const rest = {
    topologyKey: term.at('topologyKey').text(),
    selector: parseLabelSelector(term.at('labelSelector')),
  }
  if (chosen.absent) return [{ ...rest, namespaces: names.length === 0 ? [own] : names }]
  return Object.keys(chosen.fields()).length === 0 ? [rest] : []
}

const spreadRule = (rule: Untrusted): SpreadRule => ({
  topologyKey: rule.at('topologyKey').text(),
  maxSkew: rule.at('maxSkew').integerOr(1),
  selector: parseLabelSelector(rule.at('labelSelector')),
})

import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import { INGRESS_DEFAULTS } from '../model/ingress-defaults.ts'

const ROLLING = 'spec.updateStrategy.rollingUpdate'
const MISSPELT = ['maxUnavaiablePodsPerNode', 'maxUnavailablePodsPerNodes']

/** The API server gives these ports to Services of type NodePort, unless `--service-node-port-range` says otherwise. */
const NODE_PORTS = { first: 30_000, last: 32_767 }

/** What is allowed and yet most likely not what was meant. */
export function ingressWarnings(object: Untrusted): readonly FieldFinding[] {
  const spec = object.at('spec')
  const found = [
    ...misspelt(spec),
    ...valueInKey(spec),
    ...nodePorts(spec),
    ...shortGraces(spec),
    ...endlessDrain(spec),
  ]
  return found.map((warning) => ({ ...warning, severity: 'warning' }))
}

type Warning = Omit<FieldFinding, 'severity'>

const rollingOf = (spec: Untrusted): Untrusted => spec.at('updateStrategy').at('rollingUpdate')

const misspelt = (spec: Untrusted): readonly Warning[] =>
  MISSPELT.filter((name) => !rollingOf(spec).at(name).absent).map((name) => ({
    code: 'misspelt',
    field: `${ROLLING}.${name}`,
    text: `${name} is a misspelt name, which is taken for maxUnavailablePodsPerNode`,
    fix: 'write maxUnavailablePodsPerNode',
  }))

/** The page of the original project offers both. */
function valueInKey(spec: Untrusted): readonly Warning[] {
  const [key, ...value] = rollingOf(spec).at('annotateNodeToDetach').at('key').textOr('').split('=')
  if (value.length === 0) return []
  return [
    {
      code: 'valueInKey',
      field: `${ROLLING}.annotateNodeToDetach.key`,
      text: `the key of the annotation is ${key}, and what follows its = is taken for its value`,
      fix: `write ${key} into key, and the rest into value`,
    },
  ]
}

const nodePorts = (spec: Untrusted): readonly Warning[] =>
  spec
    .at('healthCheckNodePorts')
    .each()
    .flatMap((port, i) => {
      const number = port.integerOr(0)
      if (number < NODE_PORTS.first || number > NODE_PORTS.last) return []
      return [
        {
          code: 'amongNodePorts',
          field: `spec.healthCheckNodePorts[${i}]`,
          text: `${number} is one of the ports that Kubernetes gives to Services of type NodePort, and a Service may get it`,
          fix: `choose a port below ${NODE_PORTS.first} or above ${NODE_PORTS.last}, such as 10080`,
        },
      ]
    })

function shortGraces(spec: Untrusted): readonly Warning[] {
  const probe = spec.at('loadBalancerProbe')
  if (probe.absent) return []
  const { graceSeconds, attachGraceSeconds } = INGRESS_DEFAULTS
  const rolling = rollingOf(spec)
  const takes = (threshold: string): number =>
    probe.at('intervalSeconds').integerOr(0) * probe.at(threshold).integerOr(0)
  const detach = rolling.at('annotateDeploymentToDetach').at('gracePeriodSeconds').integerOr(graceSeconds)
  const attach = rolling.at('attachGraceSeconds').integerOr(attachGraceSeconds)
  const down = takes('unhealthyThreshold')
  const up = takes('healthyThreshold')
  return [
    {
      isShort: detach < down,
      code: 'graceBelowProbe',
      field: `${ROLLING}.annotateDeploymentToDetach.gracePeriodSeconds`,
      text: `the grace of ${detach} s is shorter than the ${down} s that the load balancer takes to notice, by loadBalancerProbe`,
      fix: `write at least ${down}`,
    },
    {
      isShort: attach < up,
      code: 'attachGraceBelowProbe',
      field: `${ROLLING}.attachGraceSeconds`,
      text: `attachGraceSeconds of ${attach} is shorter than the ${up} s that the load balancer takes to send to a node again, by loadBalancerProbe`,
      fix: `write at least ${up}`,
    },
  ].flatMap(({ isShort, ...warning }) => (isShort ? [warning] : []))
}

/** With ignored cordons, nothing takes a node out for a plain cordon, and the gate opens only for a node that is out. */
function endlessDrain(spec: Untrusted): readonly Warning[] {
  const gate = spec.at('drainGate').textOr(INGRESS_DEFAULTS.drainGate)
  if (spec.at('onCordon').textOr(INGRESS_DEFAULTS.onCordon) !== 'Ignore' || gate !== 'Closed') return []
  return [
    {
      code: 'drainNeverEnds',
      field: 'spec.onCordon',
      text: 'kubectl drain waits for ever where onCordon is Ignore and drainGate is Closed, unless a claim on the node asks for maintenance',
      fix: 'set drainGate to Open, or onCordon to Detach',
    },
  ]
}

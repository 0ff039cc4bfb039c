import type { Condition } from '../../../ground/model/schema/field-rule.ts'
import type { Untrusted } from '../../../ground/model/untrusted.ts'
import { INGRESS_DEFAULTS } from '../../model/ingress-defaults.ts'
import { celOn, isOn } from './limit-schema.ts'
import type { IngressRuleName } from './rule-texts.ts'

const POD = 'self.template.spec'
const podOf = (self: Untrusted): Untrusted => self.at('template').at('spec')

/** Some port `p` of some container is such that the condition holds. */
const celAnyPort = (condition: string): string => {
  const of = (at: string): string => `${at}.exists(c, has(c.ports) && c.ports.exists(p, ${condition}))`
  return `(${of(`${POD}.containers`)} || (has(${POD}.initContainers) && ${of(`${POD}.initContainers`)}))`
}

const portsOf = (self: Untrusted): readonly Untrusted[] =>
  ['containers', 'initContainers'].flatMap((name) =>
    podOf(self)
      .at(name)
      .each()
      .flatMap((container) => container.at('ports').each()),
  )

const CEL_HOST_NETWORK = `(has(${POD}.hostNetwork) && ${POD}.hostNetwork)`
const hasHostNetwork = (self: Untrusted): boolean => podOf(self).at('hostNetwork').flagOr(false)

const SURGE = 'self.updateStrategy.rollingUpdate.maxSurgedPodsPerNode'
const CEL_SECOND_POD = `((has(self.podsPerNode) && self.podsPerNode > 1) || (has(self.updateStrategy) && has(self.updateStrategy.rollingUpdate) && ${celOn(SURGE)}))`
const hasSecondPod = (self: Untrusted): boolean =>
  self.at('podsPerNode').integerOr(INGRESS_DEFAULTS.podsPerNode) > 1 ||
  isOn(self.at('updateStrategy').at('rollingUpdate').at('maxSurgedPodsPerNode'))

const hostPortOf = (port: Untrusted): number => port.at('hostPort').integerOr(0)

/** In the network of the node each port of a container is one of the node, whatever it says itself. */
export const boundBy = (self: Untrusted): readonly number[] =>
  portsOf(self)
    .flatMap((port) => [hostPortOf(port), hasHostNetwork(self) ? port.at('containerPort').integerOr(0) : 0])
    .filter((port) => port > 0)

export const HOST_PORT_CONDITIONS: Partial<Record<IngressRuleName, Condition>> = {
  sharedHostPort: [
    `${CEL_HOST_NETWORK} || !${CEL_SECOND_POD} || !${celAnyPort('has(p.hostPort) && p.hostPort > 0')}`,
    (self) => hasHostNetwork(self) || !hasSecondPod(self) || portsOf(self).every((port) => hostPortOf(port) === 0),
  ],
  sharedHostNetwork: [
    `!${CEL_HOST_NETWORK} || !${CEL_SECOND_POD} || !${celAnyPort('true')}`,
    (self) => !hasHostNetwork(self) || !hasSecondPod(self) || portsOf(self).length === 0,
  ],
  healthPortTaken: [
    `!has(self.healthCheckNodePorts) || !${celAnyPort(
      `(has(p.hostPort) && p.hostPort in self.healthCheckNodePorts) || (${CEL_HOST_NETWORK} && p.containerPort in self.healthCheckNodePorts)`,
    )}`,
    (self) => {
      const bound = boundBy(self)
      return self
        .at('healthCheckNodePorts')
        .each()
        .every((port) => !bound.includes(port.integerOr(0)))
    },
  ],
}

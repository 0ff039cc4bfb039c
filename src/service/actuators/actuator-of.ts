import type { NodeServer } from '../decide/node-servers.ts'
import type { ServiceSnapshot } from '../decide/service-snapshot.ts'
import type { ServerReading } from '../model/balancer.ts'
import type { BalancerSpec } from '../model/balancer-spec.ts'
import type { Actuator, ReadingWords } from './actuator.ts'
import { endpointWords, healthEndpoint } from './agent/health-endpoint.ts'
import { commands, commandWords } from './commands/commands.ts'
import { annotation, annotationWords } from './detacher/annotation.ts'
import { haproxy, haproxyWords } from './haproxy/haproxy.ts'
import { checkWords } from './mark/check-reasons.ts'
import { healthCheck } from './mark/health-check.ts'

/** The one place where an actuator is chosen. */
function actuatorBy(spec: BalancerSpec | undefined): Actuator {
  if (spec?.annotation !== undefined) return annotation(spec.annotation)
  if (spec?.commands !== undefined) return commands(spec.commands)
  if (spec?.healthCheck !== undefined) return healthCheck(spec.healthCheck)
  return spec?.healthEndpoint === undefined ? haproxy : healthEndpoint(spec.healthEndpoint)
}

/** That of a balancer by its name. */
export const actuatorAt = (balancers: readonly BalancerSpec[], balancer: string): Actuator =>
  actuatorBy(balancers.find(({ name }) => name === balancer))

/** That of a place. */
export const actuatorOf = (s: ServiceSnapshot, { recorded }: NodeServer): Actuator =>
  actuatorAt(s.balancers, recorded.balancer)

/** By what was read alone. */
export function wordsOf(reading: ServerReading | undefined): ReadingWords {
  if (reading?.detacher === true) return annotationWords
  if (reading?.status !== undefined) return commandWords
  if (reading?.nodeCheck !== undefined) return checkWords
  return reading?.endpoint === undefined ? haproxyWords : endpointWords
}

/** Keys of the marks by which a file takes nodes out. They say nothing of other programs. */
export const markKeys = ({ balancers }: { readonly balancers: readonly BalancerSpec[] }): readonly string[] =>
  balancers.flatMap((balancer) => balancer.healthCheck?.mark.key ?? [])

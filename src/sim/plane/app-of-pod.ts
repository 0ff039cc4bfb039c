import { parseDuration } from '../../ground/model/duration.ts'
import type { AppBehaviour } from './app-behaviour.ts'

interface AppContainer {
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
}

/** A pod, as far as it tells how its app behaves. */
interface AppPod {
  readonly spec: { readonly containers: readonly AppContainer[] }
}

const SETTINGS = ['STOP', 'GRACE', 'START_DELAY', 'ANSWER', 'FORWARD', 'ZONE']
const DNS_PORT_NAME = 'dns'
const ANSWER_MS = 3
const PORT = 8080

/** Any other image: it answers at once, and ends in good order as soon as it is told to. */
const PLAIN: AppBehaviour = { startMs: 0, stop: 'graceful', graceMs: 0, answerMs: ANSWER_MS }

/**
 * Of the container that has one of the settings STOP (`graceful`, `immediate`), GRACE (3s), START_DELAY (0s), ANSWER,
 * FORWARD (a Service), and ZONE (a DNS zone, which it answers on its port called `dns`). A duration that is none counts as left out.
 */
export function appOfPod({ spec }: AppPod): AppBehaviour {
  const container = spec.containers.find(hasAppSettings)
  if (container === undefined) return PLAIN
  const setting = (wanted: string): string => container.env?.find(({ name }) => name === wanted)?.value ?? ''
  const forwardsTo = setting('FORWARD')
  const zone = setting('ZONE')
  const dnsPort = container.ports?.find(({ name }) => name === DNS_PORT_NAME)?.containerPort
  return {
    startMs: durationOr(setting('START_DELAY'), 0),
    stop: setting('STOP') === 'immediate' ? 'immediate' : 'graceful',
    graceMs: durationOr(setting('GRACE'), 3_000),
    answerMs: durationOr(setting('ANSWER'), ANSWER_MS),
    ...(forwardsTo === '' ? {} : { forwardsTo }),
    ...(zone === '' || dnsPort === undefined ? {} : { dns: { zone, port: dnsPort } }),
  }
}

export const hasAppSettings = ({ env = [] }: AppContainer): boolean => env.some(({ name }) => SETTINGS.includes(name))

/** The first port that a container names. */
export const portOfPod = ({ spec }: AppPod): number =>
  spec.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort ?? PORT

function durationOr(text: string, otherwiseMs: number): number {
  const parsed = parseDuration(text)
  return 'ms' in parsed ? parsed.ms : otherwiseMs
}

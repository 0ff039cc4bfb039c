import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { Pacer } from '../../ground/loop/pacer.ts'
import { present } from '../../ground/model/present.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { SceneVantage } from '../decide/scene.ts'
import type { ControlProbe } from '../ports/control-probe.ts'
import type { DnsAsker } from '../ports/dns-asker.ts'
import type { DnsRelay } from '../ports/dns-relays.ts'
import type { Deployment } from './deployment.ts'
import { PacedAsker } from './paced-asker.ts'
import type { Vantage } from './sweep.ts'

interface Here {
  readonly asker: DnsAsker
  readonly control: ControlProbe
  readonly node?: string
}

interface Places {
  readonly here: Here
  readonly relays: readonly DnsRelay[]
  readonly clock: Clock
  readonly random: Random
  /** From one place. */
  readonly queriesPerSecond: number
}

/** One lost packet must not make a place worthless: TCP sends it again after a second. A relay on a busy machine takes its time, too. */
const CONTROL_WITHIN_MS = 3_000
/** An API server that is being restarted refuses, while others behind the same Service answer. */
const CONTROL_TRIES = 3
const API_PORT = 443
/** One of them is not the node of a pod that looks ill: what is wrong with the pod and with the way to it are told apart. */
const RELAYS = 2

/** Where relays are to run: on a node without a pod of DNS where there is one, and on one with. */
export function relayNodes({ known: { pods }, readyNodes }: Deployment): readonly string[] {
  const bearing = new Set(pods.map(({ node }) => node))
  const [without, within] = [
    readyNodes.filter((name) => !bearing.has(name)),
    readyNodes.filter((name) => bearing.has(name)),
  ]
  return [...without.slice(0, RELAYS - 1), ...within, ...without.slice(RELAYS - 1)].slice(0, RELAYS)
}

/** All places that ask, each at its own pace, and whether each reaches what has nothing to do with DNS. */
export function vantagesOf(
  { here, relays, clock, random, queriesPerSecond }: Places,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<readonly Vantage[]> {
  const { node } = here
  const places = [
    { ...here, at: { name: 'here', ...present({ node }) } },
    ...relays.map((relay) => ({
      ...relay,
      at: { name: relay.name, ...present({ node: relay.node }) },
    })),
  ]
  return Promise.all(
    places.map(async ({ at, asker, control }) => ({
      inScene: { ...at, control: await controlOf({ control, clock }, deployment, signal) },
      asker: new PacedAsker(asker, new Pacer({ clock, random, perSecond: queriesPerSecond })),
    })),
  )
}

/** Whether a place reaches the network of Services at all: whether the API answers there. */
async function controlOf(
  { control, clock }: { readonly control: ControlProbe; readonly clock: Clock },
  { askedZone }: Deployment,
  signal: AbortSignal,
): Promise<SceneVantage['control']> {
  const [address] = askedZone.apiAddresses
  if (address === undefined) return 'notAsked'
  const limit = { clock, limitMs: CONTROL_WITHIN_MS, signal, what: 'the control' }
  try {
    return await withDeadline(limit, async (limited) => {
      for (let tries = 1; tries <= CONTROL_TRIES; tries += 1)
        if (await control.reaches({ address, port: API_PORT }, limited)) return 'answers'
      return 'fails'
    })
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    return 'fails'
  }
}

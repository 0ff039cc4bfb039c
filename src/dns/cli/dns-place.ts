import { type Command, InvalidArgumentError, Option } from 'commander'
import { duration } from '../../cli/flag-values.ts'
import { addClusterOptions } from '../../cli/output-options.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { present } from '../../ground/model/present.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { isDnsName } from '../model/dns.ts'
import type { Sought } from '../run/deployment.ts'
import { QUERIES_PER_SECOND } from '../run/paced-asker.ts'

/** Where the cluster is, and from where DNS is queried. */
export interface DnsPlace {
  readonly kubeconfig?: string
  readonly context?: string
  readonly node?: string
  /** The image of this program for relays. */
  readonly image?: string
  /** Query from two nodes, by relay pods of that image. */
  readonly relay: boolean
  /** Query from this pod, by an ephemeral container of that image. */
  readonly ephemeral?: ObjectRef
  /** Query from this pod, by a script in this container, or in the only container of the pod. */
  readonly exec?: { readonly pod: ObjectRef; readonly container?: string }
  /** The namespace of everything that this program creates in the cluster. */
  readonly namespace: string
  readonly sought: Sought
  readonly timeoutMs: number
  readonly queriesPerSecond: number
}

export interface PlaceFlags {
  readonly kubeconfig?: string
  readonly context?: string
  readonly service?: string
  readonly zone?: string
  readonly outside?: string
  readonly node?: string
  readonly relay?: true
  readonly image?: string
  readonly ephemeral?: string
  readonly exec?: string
  readonly namespace: string
  readonly timeout: number
  readonly rate: number
}

export const addPlaceOptions = (command: Command): Command =>
  addClusterOptions(command)
    .option('--service <namespace/name>', 'the Service of DNS; otherwise it is looked up')
    .option('--zone <domain>', 'the cluster domain; otherwise it is read from the Corefile')
    .option('--outside <name>', 'a name outside the cluster that must resolve as well')
    .option('--node <name>', 'the node that this command runs on, if any')
    .option('--relay', 'also query from two nodes: runs --image there, and deletes it afterwards')
    .option('--ephemeral <namespace/pod>', 'also query from that pod: adds a container of --image that stays')
    .option('--exec <namespace/pod>', 'also query from that pod: runs a script in it; /CONTAINER after it chooses one')
    .option('--image <image>', 'the image of evenkeel, for --relay and --ephemeral')
    .option('--namespace <name>', 'where relays run and repairs are recorded', 'evenkeel')
    .addOption(
      new Option('--timeout <duration>', 'a query without an answer after this time is lost')
        .argParser(duration)
        .default(1_000, '1s'),
    )
    .addOption(
      new Option('--rate <queries>', 'at most this many queries a second from one place')
        .argParser(queriesPerSecond)
        .default(QUERIES_PER_SECOND),
    )

const HIGHEST_RATE = 100_000

function queriesPerSecond(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > HIGHEST_RATE)
    throw new InvalidArgumentError(`Write a number of queries a second from 1 to ${HIGHEST_RATE}.`)
  return value
}

/** Throws UserError that names the flag. */
export function placeOf(flags: PlaceFlags): DnsPlace {
  const { kubeconfig, context, service, zone, outside, node, relay, image, ephemeral, exec, namespace, timeout, rate } =
    flags
  for (const [flag, name] of [
    ['--zone', zone],
    ['--outside', outside],
  ] as const)
    if (name !== undefined && !isDnsName(name))
      throw usage(flag, `"${name}" is not a DNS name`, 'write one as in example.com')
  const made = relay === true ? '--relay' : ephemeral === undefined ? undefined : '--ephemeral'
  if (made !== undefined && (image ?? '') === '')
    throw usage(made, 'the image to run is missing', 'name it, as in --image registry.example/evenkeel:1.0')
  if (timeout < 1) throw usage('--timeout', 'a query takes some time', 'write a duration of 1ms or more, as in 1s')
  return {
    ...present({ kubeconfig, context, node }),
    relay: relay === true,
    ...present({ image }),
    ...(ephemeral === undefined ? {} : { ephemeral: refOf('--ephemeral', ephemeral, 'shop/web-0') }),
    ...(exec === undefined ? {} : { exec: execOf(exec, ephemeral) }),
    namespace,
    timeoutMs: timeout,
    queriesPerSecond: rate,
    sought: {
      ...(service === undefined ? {} : { service: refOf('--service', service, 'kube-system/kube-dns') }),
      ...(zone === undefined ? {} : { zone: zone.replace(/\.$/, '') }),
      ...(outside === undefined ? {} : { outside: outside.replace(/\.$/, '') }),
    },
  }
}

function execOf(text: string, ephemeral: string | undefined): NonNullable<DnsPlace['exec']> {
  const [namespace = '', name = '', container, ...more] = text.split('/')
  if (namespace === '' || name === '' || container === '' || more.length > 0) {
    const fix = 'write it as in shop/web-0, or shop/web-0/web where the pod has several containers'
    throw usage('--exec', `"${text}" is neither NAMESPACE/POD nor NAMESPACE/POD/CONTAINER`, fix)
  }
  if (ephemeral === `${namespace}/${name}`)
    throw usage(
      '--exec',
      'it names the same pod as --ephemeral',
      'give only one of them: both query from the same network',
    )
  return { pod: { namespace, name }, ...present({ container }) }
}

function refOf(flag: string, text: string, example: string): ObjectRef {
  const [namespace = '', name = '', ...more] = text.split('/')
  if (namespace === '' || name === '' || more.length > 0)
    throw usage(flag, `"${text}" is not NAMESPACE/NAME`, `write it as in ${example}`)
  return { namespace, name }
}

const usage = (flag: string, what: string, fix: string): UserError =>
  new UserError(`${flag}: ${what}`, { code: 'dns.usage', fix })

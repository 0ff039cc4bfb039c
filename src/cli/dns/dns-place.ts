import { type Command, Option } from 'commander'
import type { Sought } from '../../controllers/dns/deployment.ts'
import { isDnsName } from '../../model/dns.ts'
import { UserError } from '../../model/user-error.ts'
import { duration } from '../probe/probe-settings.ts'

/** Where the cluster is, from where it is asked, and what for. */
export interface DnsPlace {
  readonly kubeconfig?: string
  readonly context?: string
  readonly node?: string
  /** Pods that ask from within the cluster are made of it. */
  readonly relayImage?: string
  /** Of all that this program makes in the cluster. */
  readonly namespace: string
  readonly sought: Sought
  readonly timeoutMs: number
}

export interface PlaceFlags {
  readonly kubeconfig?: string
  readonly context?: string
  readonly service?: string
  readonly zone?: string
  readonly outside?: string
  readonly node?: string
  readonly relay?: string
  readonly namespace: string
  readonly timeout: number
}

export const addPlaceOptions = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'kubeconfig; else KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--service <namespace/name>', 'the Service of DNS; else it is looked for')
    .option('--zone <domain>', 'the cluster domain; else it is read from the Corefile')
    .option('--outside <name>', 'a name outside of the cluster that must resolve, too')
    .option('--node <name>', 'the node that this runs on, where it runs on one')
    .option('--relay <image>', 'also ask from two nodes: runs this image of evenkeel there, and takes it away again')
    .option('--namespace <name>', 'where relays run, and repairs are remembered', 'evenkeel')
    .addOption(
      new Option('--timeout <duration>', 'a query without an answer by then is lost')
        .argParser(duration)
        .default(1_000, '1s'),
    )

/** Throws UserError that names the flag. */
export function placeOf(flags: PlaceFlags): DnsPlace {
  const { kubeconfig, context, service, zone, outside, node, relay, namespace, timeout } = flags
  for (const [flag, name] of [
    ['--zone', zone],
    ['--outside', outside],
  ] as const)
    if (name !== undefined && !isDnsName(name))
      throw usage(flag, `"${name}" is no DNS name`, 'write one as in example.com')
  if (relay === '') throw usage('--relay', 'it names no image', 'write one as in registry.example/evenkeel:1.0')
  if (timeout < 1) throw usage('--timeout', 'a query takes some time', 'write a duration of 1ms or more, as in 1s')
  return {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(node === undefined ? {} : { node }),
    ...(relay === undefined ? {} : { relayImage: relay }),
    namespace,
    timeoutMs: timeout,
    sought: {
      ...(service === undefined ? {} : { service: serviceOf(service) }),
      ...(zone === undefined ? {} : { zone: zone.replace(/\.$/, '') }),
      ...(outside === undefined ? {} : { outside: outside.replace(/\.$/, '') }),
    },
  }
}

function serviceOf(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = '', ...more] = text.split('/')
  if (namespace === '' || name === '' || more.length > 0)
    throw usage('--service', `"${text}" is no NAMESPACE/NAME`, 'write it as in kube-system/kube-dns')
  return { namespace, name }
}

const usage = (flag: string, what: string, fix: string): UserError =>
  new UserError(`${flag}: ${what}`, { code: 'dns.usage', fix })

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { hubAddress } from '../../../testbed/addresses.ts'
import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { lbConfig } from './lb-config.ts'
import type { RollBed } from './roll-bed.ts'

export const NAMESPACE = ['-n', 'evenkeel'] as const

interface Manifest {
  readonly kind: string
  readonly data?: Record<string, string>
  readonly spec?: {
    readonly template?: { readonly spec: { readonly containers: readonly { image: string }[] } }
  }
}

/** What is shipped as `deploy/examples/roll-job.yaml`, with this image and with the names and addresses of a bed. */
export function jobManifests(text: string, image: string): readonly Manifest[] {
  const found = parseAllDocuments(text).map((document) => document.toJS() as Manifest)
  for (const { data, spec } of found) {
    for (const container of spec?.template?.spec.containers ?? []) container.image = image
    if (data !== undefined) data['roll.yaml'] = rollFile(data['roll.yaml'] ?? '')
  }
  return found
}

function rollFile(shipped: string): string {
  const file = parse(shipped.replaceAll('10.0.0.5/', `${hubAddress}:18080/`).replaceAll('10.0.0.5', hubAddress))
  file.spec.balancers[0].backends = ['web', 'edge']
  const quick = { soak: '3s', baseline: { duration: '3s' }, drain: { daemonSets: ['app=edge'] } }
  return stringify({ ...file, spec: { ...file.spec, ...quick } })
}

/** Lets pods reach the runtime API of the bed's HAProxy, and the way in that a roll measures. */
export async function openToPods({ bed, lb }: RollBed): Promise<void> {
  const lines = lbConfig(bed.nodes.map((node) => bed.nodeAddress(node)))
    .replace('\ndefaults', `\n  stats socket ipv4@${hubAddress}:9999 level admin\ndefaults`)
    .replaceAll(/bind 127\.0\.0\.1:(\d+)/g, `bind 127.0.0.1:$1\n  bind ${hubAddress}:$1`)
  await lb.reload(lines)
}

/** The files of an ssh client for the bed, its paths in this folder instead. */
export function sshFiles(bed: Bed, place: string): Readonly<Record<'config' | 'known_hosts' | 'id_ed25519', string>> {
  const folder = join(bed.sshConfig, '..')
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  return {
    config: read('config').replaceAll(folder, place),
    known_hosts: read('known_hosts'),
    id_ed25519: read('id_ed25519'),
  }
}

interface JobStatus {
  readonly succeeded?: number
  readonly failed?: number
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
}

export async function jobStatus(bed: Bed): Promise<JobStatus> {
  const words = [...NAMESPACE, 'get', 'job', 'evenkeel-roll', '-o', 'json']
  return (JSON.parse(await bed.kubectl(words)) as { readonly status: JobStatus }).status
}

interface RollPod {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly nodeName?: string }
  readonly status: { readonly phase: string }
}

export async function podsOfJob(bed: Bed): Promise<readonly RollPod[]> {
  const words = [...NAMESPACE, 'get', 'pods', '-l', 'app.kubernetes.io/component=roll', '-o', 'json']
  return (JSON.parse(await bed.kubectl(words)) as { readonly items: readonly RollPod[] }).items
}

/** Where each pod of the Job ran. Rejects with what is to be seen of the Job where it does not come to an end. */
export async function untilJobEnded(bed: Bed): Promise<ReadonlyMap<string, string>> {
  const ran = new Map<string, string>()
  await waitFor({ what: 'the Job to end', limitMs: 420_000, everyMs: 1000 }, async () => {
    for (const { metadata, spec } of await podsOfJob(bed)) if (spec.nodeName) ran.set(metadata.name, spec.nodeName)
    const { conditions = [] } = await jobStatus(bed)
    return (
      conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True') ||
      undefined
    )
  }).catch(async (error) => {
    throw new Error(`${String(error)}\n${await whatIsOfJob(bed)}`)
  })
  return ran
}

export async function whatIsOfJob(bed: Bed): Promise<string> {
  const asked = [
    ['describe', 'job,pods'],
    ['logs', '-l', 'app.kubernetes.io/component=roll', '--tail=80'],
  ].map((words) => bed.kubectl([...NAMESPACE, ...words]).catch(String))
  return (await Promise.all(asked)).join('\n')
}

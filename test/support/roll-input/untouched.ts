import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askSocket } from '../roll-bed/ask-socket.ts'
import type { InputGround } from './input-ground.ts'

interface Item {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly namespace?: string
    readonly labels?: object
    readonly annotations?: object
    readonly deletionTimestamp?: string
  }
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly object[]; readonly nodeName?: string }
}

/** All that a roll could change, as one line for each thing: nodes, pods, slots, and each server of each balancer. */
export async function worldLines({ roll, odd }: InputGround): Promise<readonly string[]> {
  const objects = Object.entries(LISTS).map(async ([kind, path]) =>
    (await roll.list(path)).flatMap((item) => objectLines({ ...item, kind } as Item)),
  )
  const servers = [roll.lb.socket, odd.admin].map(serverLines)
  return (await Promise.all([...objects, ...servers])).flat().toSorted()
}

const LISTS = {
  Node: '/api/v1/nodes',
  Pod: '/api/v1/pods',
  Lease: '/apis/coordination.k8s.io/v1/leases',
  PodDisruptionBudget: '/apis/policy/v1/poddisruptionbudgets',
}

function objectLines({ kind, metadata, spec = {} }: Item): readonly string[] {
  const { namespace = '', name, uid, labels, annotations, deletionTimestamp } = metadata
  // Those of the cluster's own components are renewed all the time.
  if (kind === 'Lease' && namespace !== 'evenkeel') return []
  const seen = { uid, labels, annotations, deletionTimestamp, ...cordonOf(spec), on: spec.nodeName }
  return [`${kind} ${namespace}/${name} ${JSON.stringify(kind === 'Lease' ? metadata : seen)}`]
}

const cordonOf = ({ unschedulable, taints }: NonNullable<Item['spec']>): object => ({ unschedulable, taints })

/** Address, state by administration and weight; what checks find out changes by itself. */
async function serverLines(socket: string): Promise<readonly string[]> {
  const [, header = '', ...rows] = (await askSocket(socket, 'show servers state')).split('\n')
  const names = header.replace(/^# /, '').split(' ')
  const kept = ['be_name', 'srv_name', 'srv_addr', 'srv_port', 'srv_admin_state', 'srv_uweight']
  return rows
    .filter((row) => row.includes(' '))
    .map((row) => {
      const fields = row.split(' ')
      return `server ${kept.map((name) => fields[names.indexOf(name)]).join(' ')}`
    })
}

/** Every file of a directory with what is in it; nothing where there is no such directory. */
export function fileLines(directory: string): readonly string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
    .map(({ path, isFile }) => `${path.slice(directory.length)} ${isFile ? readFileSync(path, 'base64') : 'directory'}`)
    .toSorted()
}

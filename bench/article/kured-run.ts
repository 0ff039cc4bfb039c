import { importImage } from '../../test/support/image-on-bed.ts'
import type { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import type { KuredBuild } from './kured-build.ts'

/** After its start kured waits for 30 to 90 s, which no flag changes (cmd/kured/main.go, rebootAsRequired). */
const START_LIMIT_MS = 180_000
const RUN_LIMIT_MS = 900_000
const LOOK_EVERY_MS = 500
const LOCK = 'weave.works/kured-node-lock'
const DAEMON_SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets'
const KURED = ['-n', 'kube-system', '-l', 'name=kured']

/** Resolves when kured looks for the sentinel file on every node, as where it has been installed for long. */
export async function installKured({ bed }: RollBed, { image, objects }: KuredBuild): Promise<void> {
  await importImage(bed, image)
  await bed.apply(objects)
  let said = ''
  const wait = { what: 'kured to look on every node', limitMs: START_LIMIT_MS, everyMs: 2_000, explain: () => said }
  await waitFor(wait, async () => {
    said = await bed.kubectl(['logs', ...KURED, '--prefix', '--tail=20']).catch((error: unknown) => String(error))
    return lookingPods(said) === bed.nodes.length ? true : undefined
  })
}

/** How many pods have said that no reboot is required, in the output of `kubectl logs --prefix`. */
export function lookingPods(logs: string): number {
  const lines = logs.split('\n').filter((line) => line.includes('Reboot not required'))
  return new Set(lines.map((line) => line.split(' ')[0])).size
}

/** Asks for a reboot of every node as a package manager does, by a file, and waits until kured has seen to all of them. */
export async function runKured(bed: RollBed): Promise<void> {
  const before = await bed.bootIds()
  for (const node of bed.bed.nodes) {
    const { code, stderr } = await bed.bed.exec(node, ['touch', '/var/run/reboot-required'])
    if (code !== 0) throw new Error(`the sentinel file was not written on ${node}: ${stderr}`)
  }
  let open: readonly string[] = []
  const wait = {
    what: 'kured to reboot every node',
    limitMs: RUN_LIMIT_MS,
    everyMs: LOOK_EVERY_MS,
    explain: () => open.join('\n'),
  }
  await waitFor(wait, async () => {
    const [nodes, daemonSets] = [await bed.nodeObjects(), await bed.list(DAEMON_SETS)]
    const kured = daemonSets.find(({ metadata }) => metadata.name === 'kured')
    open = stillOpen({ nodes, before, lock: kured?.metadata.annotations?.[LOCK] })
    return open.length === 0 ? true : undefined
  })
}

interface KuredState {
  readonly nodes: Awaited<ReturnType<RollBed['nodeObjects']>>
  /** The boot ids of all nodes before the run. */
  readonly before: Readonly<Record<string, string>>
  /** The annotation of kured's DaemonSet that names the node it works on. */
  readonly lock: string | undefined
}

/** What has to happen until a run of kured is over: one line for each node, and one for the lock. */
export function stillOpen({ nodes, before, lock }: KuredState): readonly string[] {
  const open = nodes.flatMap(({ metadata: { name }, spec, status }) => {
    const isReady = status.conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')
    return [
      ...(status.nodeInfo.bootID === before[name] ? [`${name} was not rebooted`] : []),
      ...(isReady ? [] : [`${name} is not Ready`]),
      ...(spec.unschedulable === true ? [`${name} is cordoned`] : []),
    ]
  })
  return lock === undefined ? open : [...open, `the lock is held: ${lock}`]
}

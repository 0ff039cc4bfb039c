import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { hubAddress } from '../../../testbed/addresses.ts'
import { readManifests, renderChart } from '../agent-chart.ts'
import { imageOnBed } from '../image-on-bed.ts'
import { refusedRequests } from './audit.ts'
import type { RollBed } from './roll-bed.ts'
import { NAMESPACE, openToPods } from './roll-job.ts'

interface Installed {
  readonly ssh?: boolean
  readonly values?: readonly string[]
  /** The contents of Secrets, by their names. */
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Installs the controller that carries out Rolls as the chart has it, with the rights that the chart gives. */
export async function installController(
  opened: RollBed,
  { ssh = false, values = [], secrets = {} }: Installed,
): Promise<void> {
  const { bed } = opened
  const tag = ssh ? '0.1.0-ssh' : '0.1.0'
  await openToPods(opened)
  await imageOnBed(bed, `evenkeel.local/evenkeel:${tag}`, { ssh })
  const image = [`image.tag=${tag}`, 'image.pullPolicy=Never']
  const { code, stdout, stderr } = await renderChart(
    'controller.enabled=true',
    'rolls.enabled=true',
    ...image,
    ...values,
  )
  assert.equal(code, 0, stderr)
  // The agents of the chart serve no balancer of this bed.
  const manifests = readManifests(stdout).filter(({ kind }) => kind !== 'DaemonSet')
  const isFirst = ({ kind }: { readonly kind?: string }): boolean => kind === 'CustomResourceDefinition'
  await bed.apply(manifests.filter(isFirst))
  await bed.kubectl([
    'wait',
    '--for=condition=Established',
    '--timeout=60s',
    'crd/rolls.evenkeel.dev',
    'crd/rollschedules.evenkeel.dev',
  ])
  const contents = Object.entries(secrets).map(([name, stringData]) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'evenkeel' } },
    stringData,
  }))
  await bed.apply([...manifests.filter((one) => !isFirst(one)), ...contents])
  await bed.kubectl([...NAMESPACE, 'rollout', 'status', 'deploy/evenkeel-agent-controller', '--timeout=180s'])
}

export const CONTROLLER_USER = 'system:serviceaccount:evenkeel:evenkeel-agent-controller'
const RUN_USER = 'system:serviceaccount:evenkeel:evenkeel-agent-roll'

/** The lines of the audit log. */
export const auditLines = ({ bed }: RollBed): readonly string[] =>
  readFileSync(bed.auditLog, 'utf8')
    .split('\n')
    .filter((line) => line !== '')

/** What the API server forbade to the controller and to the pods of its runs. */
export const refusedToController = (opened: RollBed): readonly string[] => {
  const lines = auditLines(opened)
  return [CONTROLLER_USER, RUN_USER].flatMap((user) => refusedRequests(lines, user))
}

type Fields = Readonly<Record<string, unknown>>

/** The first object of this kind on a page of `docs`, with the addresses of a bed. */
export function objectOnPage(page: string, kind: string): { readonly metadata: Fields; readonly spec: Fields } {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8')
  const [, shown = ''] = new RegExp(`\`\`\`yaml\\n([^\`]*?kind: ${kind}\\n.*?)\`\`\``, 's').exec(text) ?? []
  return parse(shown.replaceAll('10.0.0.5/', `${hubAddress}:18080/`).replaceAll('10.0.0.5', hubAddress))
}

/** The file of a Roll of `docs`, for the services of a bed, and short. */
export function fileOnBed(file: Fields): Fields {
  const [balancer] = file.balancers as readonly object[]
  return {
    ...file,
    balancers: [{ ...balancer, backends: ['web', 'edge'] }],
    ...{ soak: '3s', baseline: { duration: '3s' }, drain: { daemonSets: ['app=edge'] } },
  }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import { GRANTS_CONFIG_MAP } from '../../src/service/model/cordon-grants.ts'
import { buildFolder } from '../../testbed/build/cache-root.ts'
import { type RunResult, runToEnd } from '../../testbed/machine/run.ts'
import type { RbacManifest } from './granted-rights.ts'

interface Manifest extends RbacManifest {
  readonly spec?: {
    readonly template?: {
      readonly spec: {
        readonly dnsPolicy?: string
        readonly nodeSelector?: Readonly<Record<string, string>>
        readonly containers: readonly { readonly command?: readonly string[]; readonly args: readonly string[] }[]
      }
    }
  }
}

/** Of each agent. */
export const AGENT_RIGHTS = [
  'list  nodes * *',
  'watch  nodes * *',
  `list  configmaps evenkeel ${GRANTS_CONFIG_MAP}`,
  `watch  configmaps evenkeel ${GRANTS_CONFIG_MAP}`,
]

export const HELM = join(buildFolder(), 'bin/helm')

/** A file of `deploy/`. */
export const shipped = (file: string): string => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')

export const readManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest)

/** The arguments of the first container. */
export const argsOf = (manifests: readonly Manifest[], kind: string): readonly string[] =>
  manifests.find((one) => one.kind === kind)?.spec?.template?.spec.containers[0]?.args ?? []

/** What helm makes of the chart with these values, or says of them. */
export async function renderChart(...values: readonly string[]): Promise<RunResult> {
  const words = values.flatMap((value) => ['--set', value])
  return runToEnd([HELM, 'template', 'evenkeel-agent', CHART, '-n', 'evenkeel', ...words])
}

const RIGHTS = new Set(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'])

/** As `helm install` would give them with these values. */
export async function rightsOfTheChart(...values: readonly string[]): Promise<readonly Manifest[]> {
  const { code, stdout, stderr } = await renderChart(...values)
  if (code !== 0) throw new Error(stderr)
  return readManifests(stdout).filter(({ kind }) => RIGHTS.has(kind ?? ''))
}

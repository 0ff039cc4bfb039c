import { rollFileYaml } from '../../../../src/explain/cli/init/write-yaml.ts'
import type {
  InitSnapshot,
  SeenBackend,
  SeenInstance,
  SeenServer,
} from '../../../../src/explain/decide/init/init-snapshot.ts'
import { proposeRoll } from '../../../../src/explain/decide/init/roll-proposal.ts'
import { readRollFile } from '../../../../src/roll/file/read-roll-file.ts'
import { aNode } from '../../../support/roll-world.ts'

/** Server `s1` sends to node `n1`. */
export const server = (number: number, change: Partial<SeenServer> = {}): SeenServer => ({
  name: `s${number}`,
  address: `10.0.0.${number}`,
  port: 30_080,
  checked: true,
  ...change,
})

export const backend = (
  name: string,
  servers: readonly SeenServer[],
  change: Partial<SeenBackend> = {},
): SeenBackend => ({
  name,
  mode: 'http',
  disabled: false,
  servers,
  ...change,
})

export const instance = (
  name: string,
  backends: readonly SeenBackend[],
  change: Partial<SeenInstance> = {},
): SeenInstance => ({
  name,
  address: { kind: 'unix', path: `/run/${name}.sock` },
  at: `/run/${name}.sock`,
  level: 'admin',
  backends: { is: 'found', value: backends },
  ...change,
})

const NONE = { is: 'found', value: [] } as const

export const CONTROL = { 'node-role.kubernetes.io/control-plane': '' }

/** Three workers behind one HAProxy. */
export const FACTS: InitSnapshot = {
  context: { context: 'prod', server: 'https://10.0.1.1:6443', user: 'ann' },
  apiServer: { address: '10.0.1.1', port: 6443 },
  nodes: { is: 'found', value: [aNode('n1'), aNode('n2'), aNode('n3')] },
  ...{ pods: NONE, services: NONE, slices: NONE, workloads: NONE, budgets: NONE },
  instances: [instance('lb-1', [backend('web', [server(1), server(2), server(3)])])],
  noBalancer: false,
}

/** The file as its text, and as what reads roll files takes it. */
export function proposed(facts: InitSnapshot, answers: Readonly<Record<string, string>> = {}) {
  const proposal = proposeRoll(facts, new Map(Object.entries(answers)))
  const text = rollFileYaml([], proposal.file)
  return { ...proposal, text, ...readRollFile({ file: 'roll.yaml', text }) }
}

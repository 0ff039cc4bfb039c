import { readFileSync } from 'node:fs'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { SaidByExplain, SaidDocument } from '../explain/ask-explain.ts'
import { RealGround } from '../roll-bed/real-ground.ts'
import { RollBed } from '../roll-bed/roll-bed.ts'
import { LABELS_POLICY, POLICY_PATHS } from './labels-policy.ts'
import type { TroubleGround } from './trouble-ground.ts'

const deployed = (name: string): string => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8')

const GROUP = 'rbac.authorization.k8s.io'
const EXPLAINS = ['evenkeel-explain', 'evenkeel-explain-evictions'].map((name) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  subjects: [{ kind: 'ServiceAccount', namespace: 'evenkeel', name: 'evenkeel-roll' }],
}))

/** Three real nodes, real processes, real time. HAProxy keeps no connection to a pod open. */
export class RealTrouble implements TroubleGround {
  readonly world: RealGround
  readonly spec = {}
  readonly #bed: RollBed

  private constructor(bed: RollBed) {
    this.#bed = bed
    this.world = new RealGround(() => bed)
  }

  static async open(): Promise<RealTrouble> {
    const bed = await RollBed.open({
      ...{ service: 'plain', replicas: 1, database: false, fast: true },
      ...{ judgeRate: 30, lb: { closesServers: true } },
    })
    await bed.bed.apply(deployed('roll-polite-rbac.yaml'))
    await bed.bed.apply(deployed('explain-rbac.yaml'))
    await bed.bed.apply(EXPLAINS)
    return new RealTrouble(bed)
  }

  close(): Promise<void> {
    return this.#bed.close()
  }

  async explain(line: string): Promise<SaidByExplain> {
    const { code, stdout, stderr } = await this.#bed.evenkeel('explain', ...line.split(' '), '-o', 'json')
    return { code: code ?? 1, out: stdout, err: stderr, document: JSON.parse(stdout || '{}') as SaidDocument }
  }

  async refuseLabels(isRefused: boolean): Promise<void> {
    const { bed } = this.#bed
    if (isRefused) await bed.apply(LABELS_POLICY)
    else for (const path of [POLICY_PATHS.bindings, POLICY_PATHS.policies]) await this.#bed.remove(`${path}/labels`)
    const words = ['label', 'pods', '-l', 'app=whoami', 'tried=yes', '--dry-run=server']
    const isNow = () =>
      bed.kubectl(words).then(
        () => !isRefused,
        () => isRefused,
      )
    const what = `labels to be ${isRefused ? 'refused' : 'taken'}`
    await waitFor({ what, limitMs: 30_000, everyMs: 500 }, async () => ((await isNow()) ? true : undefined))
  }

  async settled(): Promise<void> {
    await this.#bed.settled()
    await waitFor({ what: 'nothing to be left', limitMs: 60_000, everyMs: 500 }, async () =>
      (await this.#bed.leftovers()).length === 0 ? true : undefined,
    )
  }
}

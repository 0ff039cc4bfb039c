import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { HELD_ROWS } from '../scenarios/trouble/held-rows.ts'
import { meetsTrouble } from '../scenarios/trouble/meets-trouble.ts'
import { OTHERS_WORK_ROWS } from '../scenarios/trouble/others-work-rows.ts'
import { PASSING_ROWS } from '../scenarios/trouble/passing-rows.ts'
import type { SaidByExplain, SaidDocument } from '../support/explain/ask-explain.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { LABELS_POLICY, POLICY_PATHS } from '../support/trouble/labels-policy.ts'
import type { TroubleGround } from '../support/trouble/trouble-ground.ts'

const deployed = (name: string): string => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

const GROUP = 'rbac.authorization.k8s.io'
const EXPLAINS = ['evenkeel-explain', 'evenkeel-explain-evictions'].map((name) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  subjects: [{ kind: 'ServiceAccount', namespace: 'evenkeel', name: 'evenkeel-roll' }],
}))

/** Three real nodes, real processes, real time. HAProxy keeps no connection to a pod open. */
class RealTrouble implements TroubleGround {
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

/**
 * In virtual time alone: an API server that is away in the other phases, and a second budget. Where a pod has its labels back though it is
 * replaced, its ReplicaSet removes one of the two at once, and an app that exits at once loses what is on its way to that one.
 */
const ROWS = [...HELD_ROWS, ...OTHERS_WORK_ROWS, ...PASSING_ROWS].filter(
  ({ title }) => !/ step | write (evict|withdrawPod) |second budget/.test(title),
)

describeAtNight('a roll that meets something bad, on real nodes', requires('testbed'), () => {
  let ground: RealTrouble | undefined
  before(async () => {
    ground = await RealTrouble.open()
  })
  after(() => ground?.close())

  for (const row of ROWS) {
    atNight(`${row.title} (exit ${row.exit})`, { timeout: 420_000 }, async () => {
      assert.ok(ground)
      await meetsTrouble(ground, row)
    })
  }
})

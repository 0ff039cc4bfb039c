import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { RollBed } from '../roll-bed/roll-bed.ts'
import { type MissingRight, narrowedRbac } from './narrowed-rbac.ts'
import { type OddLb, startOddLb } from './odd-lb.ts'
import { oddPods } from './odd-pods.ts'

/** The right that each user lacks. */
const NARROWED: Readonly<Record<string, MissingRight>> = {
  'no-patch': { verb: 'patch', resource: 'nodes' },
  'no-evict': { verb: 'create', resource: 'pods/eviction' },
  'no-slots': { verb: 'create', resource: 'leases' },
  'no-list': { verb: 'list', resource: 'nodes' },
}

type GroundParts = Pick<
  InputGround,
  'roll' | 'odd' | 'kubeconfig' | 'goneKubeconfig' | 'administratorKubeconfig' | 'clusterUid'
>

/**
 * A real cluster with all that wrong input may point at. n1 is as it should be; n2 carries a pod that keeps data, n3 one
 * that nothing would replace, and a record that cannot be read.
 */
export class InputGround {
  readonly roll: RollBed
  readonly odd: OddLb
  readonly kubeconfig: string
  /** Of an account that was deleted. */
  readonly goneKubeconfig: string
  /** Of an administrator, who may do everything, and so is told what there is. */
  readonly administratorKubeconfig: string
  readonly clusterUid: string

  private constructor(parts: GroundParts) {
    this.roll = parts.roll
    this.odd = parts.odd
    this.kubeconfig = parts.kubeconfig
    this.goneKubeconfig = parts.goneKubeconfig
    this.administratorKubeconfig = parts.administratorKubeconfig
    this.clusterUid = parts.clusterUid
  }

  static async open(): Promise<InputGround> {
    const roll = await RollBed.open({ fast: true, database: false })
    try {
      const { bed } = roll
      const gone = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gone', namespace: 'default' } }
      // Its finalizer keeps it from ever being gone.
      const going = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'going', finalizers: ['example.com/stays'] },
      }
      const rights = Object.entries(NARROWED).flatMap(([user, right]) => narrowedRbac(user, right))
      await bed.apply([gone, going, ...rights, ...oddPods()])
      const [odd, kubeconfig, goneKubeconfig, administrator, clusterUid] = await Promise.all([
        startOddLb(bed),
        bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-roll').then(({ inside }) => inside),
        bed.serviceAccountKubeconfig('default', 'gone').then(({ inside }) => inside),
        bed.userKubeconfig('administrator', { group: 'system:masters' }),
        bed.kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']),
      ])
      await bed.kubectl(['delete', 'serviceaccount', 'gone', '--namespace', 'default'])
      await bed.kubectl(['delete', 'namespace', 'going', '--wait=false'])
      await bed.kubectl(['annotate', 'node', 'n3', `${RECORD_ANNOTATION}={}`])
      await podsAreThere(roll)
      const administratorKubeconfig = administrator.inside
      const kubeconfigs = { kubeconfig, goneKubeconfig, administratorKubeconfig }
      return new InputGround({ roll, odd, clusterUid, ...kubeconfigs })
    } catch (error) {
      await roll.close()
      throw error
    }
  }

  /** Kubeconfig of a user of that name, by a certificate of the cluster's own authority. */
  async userKubeconfig(name: string, notAfter?: Date): Promise<string> {
    const { inside } = await this.roll.bed.userKubeconfig(name, notAfter === undefined ? {} : { notAfter })
    return inside
  }

  /** The shipped identity's kubeconfig with something written otherwise. */
  changedKubeconfig(change: (text: string) => string): string {
    return this.write('kubeconfig', change(readFileSync(this.kubeconfig, 'utf8')))
  }

  /** A roll.yaml for n1 alone that nothing is wrong with, but for `change`, which is merged over its spec. */
  file(change: Readonly<Record<string, unknown>> = {}): string {
    return this.roll.file({ spec: { nodes: { names: ['n1'] }, ...change } })
  }

  /** A new directory's file. */
  write(name: string, text: string): string {
    const path = join(this.directory(), name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }

  directory(): string {
    return mkdtempSync(join(this.roll.bed.dir, 'input-'))
  }

  close(): Promise<void> {
    return this.roll.close()
  }
}

const podsAreThere = ({ bed }: RollBed): Promise<true> =>
  waitFor({ what: 'the odd pods to be there', limitMs: 30_000, everyMs: 300 }, async () => {
    const pods = await bed.kubectl(['get', 'pods', '-o', 'jsonpath={.items[*].metadata.labels.odd}'])
    return pods.includes('cache') && pods.includes('lonely') ? true : undefined
  })

import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { RollGround, SeenObject } from './roll-ground.ts'

/** A volume stays attached for a moment after its pod is gone, as a real one does. */
const DETACH_MS = 1500
const LOOK_EVERY_MS = 200

const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments'
const NAMESPACE = '/api/v1/namespaces/default'

/** A small attacher: a VolumeAttachment for each volume on the node whose pod uses it, deleted some time after the pod. */
export class Attacher {
  readonly #ground: RollGround
  #isOver = false
  #working: Promise<void> = Promise.resolve()
  readonly #unusedSince = new Map<string, number>()

  private constructor(ground: RollGround) {
    this.#ground = ground
  }

  static async start(ground: RollGround): Promise<Attacher> {
    const attacher = new Attacher(ground)
    await attacher.#reconcile()
    attacher.#working = attacher.#run()
    return attacher
  }

  nodeWithVolume(): Promise<string> {
    const look = async (): Promise<string | undefined> => {
      const used = [...(await this.#used()).values()]
      return (await this.#ground.list(ATTACHMENTS)).length > 0 ? used[0] : undefined
    }
    return waitFor({ what: 'a pod with a volume', limitMs: 60_000 }, look, this.#ground)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#reconcile()
      await this.#ground.pause(LOOK_EVERY_MS)
    }
  }

  async #reconcile(): Promise<void> {
    const used = await this.#used()
    const attached = await this.#ground.list(ATTACHMENTS)
    for (const [volume, node] of used) {
      this.#unusedSince.delete(`${volume}-${node}`)
      if (!attached.some(({ metadata }) => metadata.name === `${volume}-${node}`)) await this.#attach(volume, node)
    }
    for (const attachment of attached) await this.#detachUnused(attachment, used)
  }

  async #detachUnused({ metadata, spec }: SeenObject, used: ReadonlyMap<string, string>): Promise<void> {
    const volume = spec.source?.persistentVolumeName ?? ''
    if (used.get(volume) === spec.nodeName) return
    const nowMs = this.#ground.nowMs()
    const since = this.#unusedSince.get(metadata.name) ?? nowMs
    this.#unusedSince.set(metadata.name, since)
    if (nowMs - since >= DETACH_MS) await this.#ground.remove(`${ATTACHMENTS}/${metadata.name}`)
  }

  async #attach(volume: string, node: string): Promise<void> {
    await this.#ground.apply([
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name: `${volume}-${node}` },
        spec: { attacher: 'test.evenkeel.dev', nodeName: node, source: { persistentVolumeName: volume } },
      },
    ])
  }

  /** Volume → the node whose pod uses it. */
  async #used(): Promise<ReadonlyMap<string, string>> {
    const pods = await this.#ground.list(`${NAMESPACE}/pods`)
    const claims = await this.#ground.list(`${NAMESPACE}/persistentvolumeclaims`)
    const volumeOf = new Map(claims.map(({ metadata, spec }) => [metadata.name, spec.volumeName]))
    return new Map(
      pods.flatMap(({ spec }) =>
        (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }): [string, string][] => {
          const volume = volumeOf.get(persistentVolumeClaim?.claimName ?? '')
          return volume === undefined || spec.nodeName === undefined ? [] : [[volume, spec.nodeName]]
        }),
      ),
    )
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Bed } from '../../../testbed/bed.ts'
import { until } from './until.ts'

interface Item {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly nodeName?: string
    readonly volumeName?: string
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[]
    readonly source?: { readonly persistentVolumeName?: string }
  }
}

/** A volume stays attached for a moment after its pod is gone, as a real one does. */
const DETACH_MS = 1500
const LOOK_EVERY_MS = 200

/** A small attacher: a VolumeAttachment for each volume on the node whose pod uses it, deleted some time after the pod. */
export class Attacher {
  readonly #bed: Bed
  readonly #over = new AbortController()
  #working: Promise<void> = Promise.resolve()
  readonly #unusedSince = new Map<string, number>()

  private constructor(bed: Bed) {
    this.#bed = bed
  }

  static async start(bed: Bed): Promise<Attacher> {
    const attacher = new Attacher(bed)
    await attacher.#reconcile()
    attacher.#working = attacher.#run()
    return attacher
  }

  nodeWithVolume(): Promise<string> {
    return until({ what: 'a pod with a volume', limitMs: 60_000 }, async () => {
      const used = [...(await this.#used()).values()]
      return (await this.#attachments()).length > 0 ? used[0] : undefined
    })
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await this.#working
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#reconcile()
      await pause(LOOK_EVERY_MS)
    }
  }

  async #reconcile(): Promise<void> {
    const used = await this.#used()
    const attached = await this.#attachments()
    for (const [volume, node] of used) {
      this.#unusedSince.delete(`${volume}-${node}`)
      if (!attached.some(({ metadata }) => metadata.name === `${volume}-${node}`)) await this.#attach(volume, node)
    }
    for (const { metadata, spec } of attached) {
      const volume = spec.source?.persistentVolumeName ?? ''
      if (used.get(volume) === spec.nodeName) continue
      const since = this.#unusedSince.get(metadata.name) ?? performance.now()
      this.#unusedSince.set(metadata.name, since)
      if (performance.now() - since >= DETACH_MS)
        await this.#bed.kubectl(['delete', 'volumeattachment', metadata.name, '--wait=false'])
    }
  }

  async #attach(volume: string, node: string): Promise<void> {
    await this.#bed.apply([
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
    const [pods, claims] = await Promise.all([this.#list('pods'), this.#list('persistentvolumeclaims')])
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

  #attachments(): Promise<readonly Item[]> {
    return this.#list('volumeattachments')
  }

  async #list(kind: string): Promise<readonly Item[]> {
    const { items } = JSON.parse(await this.#bed.kubectl(['get', kind, '-o', 'json'])) as { items: readonly Item[] }
    return items
  }
}

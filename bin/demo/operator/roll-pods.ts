import type { RollActions, RollIo } from '../../../src/roll/cli/roll-actions.ts'
import { onceAnswer } from '../../../src/roll/decide/resume/once.ts'
import { loadRollFile } from '../../../src/roll/file/load-roll-file.ts'
import type { EmbeddedCluster } from '../../../src/sim/loopback/embedded-cluster.ts'
import type { ContainerSpec, NodePod } from '../../../src/sim/machines/node-pod.ts'
import type { ContainerProcess } from '../../../src/sim/plane/data-plane.ts'
import { CONFIG_MAPS } from '../../../src/sim/world/api-resource.ts'

export const ROLL_IMAGE = 'evenkeel.local/evenkeel:demo'
const [FAILED, KILLED] = [1, 137]

interface PodsParts {
  readonly cluster: EmbeddedCluster
  readonly actions: RollActions
  readonly namespace: string
}

/** Lets pods of the image run `evenkeel roll` in this process. `onError`: what no roll should meet. */
export function runRollPods(parts: PodsParts, onError: (error: unknown) => void): void {
  parts.cluster.machines.images.give(
    ROLL_IMAGE,
    (pod, container) => new RollProcess(parts, { pod, container, onError }),
  )
}

interface Start {
  readonly pod: NodePod
  readonly container: ContainerSpec
  readonly onError: (error: unknown) => void
}

/** One pod of a Roll. */
class RollProcess implements ContainerProcess {
  readonly #stop = new AbortController()
  readonly #listeners: ((code: number) => void)[] = []
  #code: number | undefined

  constructor(parts: PodsParts, { pod, container, onError }: Start) {
    rolled(parts, { pod, args: container.args ?? [], signal: this.#stop.signal }).then(
      (code) => this.#exited(code),
      (error: unknown) => {
        if (!this.#stop.signal.aborted) onError(error)
        this.#exited(FAILED)
      },
    )
  }

  isReady(): boolean {
    return true
  }

  terminate(): void {
    this.#stop.abort(new DOMException('the pod is to end', 'AbortError'))
  }

  kill(): void {
    this.terminate()
    this.#exited(KILLED)
  }

  remove(): void {
    this.kill()
  }

  onExit(run: (code: number) => void): void {
    this.#listeners.push(run)
    if (this.#code !== undefined) run(this.#code)
  }

  #exited(code: number): void {
    if (this.#code !== undefined) return
    this.#code = code
    for (const run of this.#listeners) run(code)
  }
}

interface Rolling {
  readonly pod: NodePod
  readonly args: readonly string[]
  readonly signal: AbortSignal
}

/** What the arguments of the container say; returns the exit code. */
async function rolled({ cluster, actions, namespace }: PodsParts, { pod, args, signal }: Rolling): Promise<number> {
  let code = FAILED
  const io: RollIo = {
    interrupt: signal,
    onEvent: (event) => {
      if (event.type === 'roll.ended') code = event.exitCode
    },
  }
  const { kubeconfig } = cluster
  const place = { kubeconfig, stateDir: `configmaps:${namespace}` }
  const of = { ...place, pod: `${namespace}/${pod.metadata.name}` }
  const [, task = '', run = ''] = args
  if (task === 'abort' || task === 'resume') {
    await actions[task]({ ...of, run }, io)
    return code
  }
  const once = args.find((word) => word.startsWith('--once='))?.slice('--once='.length) ?? ''
  const begun = await actions.begunFor(once, place)
  if (begun === undefined) {
    const spec = loadRollFile({ file: 'roll.yaml', text: fileOf(cluster, pod) })
    await actions.roll({ ...of, spec, once }, io)
    return code
  }
  const answer = onceAnswer(begun.events)
  if (answer.kind === 'over') return answer.end.type === 'roll.ended' ? answer.end.exitCode : FAILED
  await actions.resume({ ...of, run: begun.run, keepsVerdict: true }, io)
  return code
}

/** The ConfigMap that the pod mounts. */
function fileOf({ world }: EmbeddedCluster, { metadata, spec }: NodePod): string {
  const { volumes = [] } = spec as { readonly volumes?: readonly { readonly configMap?: { readonly name: string } }[] }
  const name = volumes.flatMap(({ configMap }) => configMap?.name ?? [])[0] ?? ''
  const found = world.store.get(CONFIG_MAPS, { namespace: metadata.namespace ?? '', name })
  return (found as { readonly data?: Readonly<Record<string, string>> } | undefined)?.data?.['roll.yaml'] ?? ''
}

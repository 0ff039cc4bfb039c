import type { RollGround } from './roll-ground.ts'

/** The nodes of an app's pods, each as often as it has one. A pod that is leaving is no longer anywhere. */
export async function placesOf({ list }: Pick<RollGround, 'list'>, app: string): Promise<readonly string[]> {
  const pods = await list(`/api/v1/namespaces/default/pods?labelSelector=app%3D${app}`)
  return pods.flatMap(({ metadata, spec }) =>
    metadata.deletionTimestamp === undefined && spec.nodeName !== undefined ? [spec.nodeName] : [],
  )
}

/** A node that carries a pod of the app. */
export async function nodeWith(ground: Pick<RollGround, 'list'>, app: string): Promise<string> {
  const [first] = await placesOf(ground, app)
  if (first === undefined) throw new Error(`no pod of ${app} is on a node`)
  return first
}

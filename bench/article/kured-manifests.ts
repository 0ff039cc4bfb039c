import { parseAllDocuments } from 'yaml'

export const KURED_IMAGE = 'evenkeel.local/kured:bench'

/** kured looks for the sentinel file once an hour by default, and by `--period=20s` in its own tests. */
const PERIOD = '--period=5s'

interface KuredManifests {
  readonly objects: readonly object[]
  /** The tag of the image that the DaemonSet names in the source. */
  readonly tag: string
}

interface DaemonSet {
  readonly kind: 'DaemonSet'
  readonly spec: { readonly template: { readonly spec: { readonly containers: Container[] } } }
}

interface Container {
  readonly name: string
  image: string
  command: string[]
}

/**
 * The objects of kured's own `kured-rbac.yaml` and `kured-ds.yaml`, with two changes: the image that was built, in place of
 * the released one, and a short period. Throws where the text is not what it should be.
 */
export function kuredManifests(rbac: string, daemonSet: string): KuredManifests {
  const objects = [...documentsOf('kured-rbac.yaml', rbac), ...documentsOf('kured-ds.yaml', daemonSet)]
  const container = objects.find(isDaemonSet)?.spec.template.spec.containers.find(({ name }) => name === 'kured')
  if (container === undefined) throw new Error('kured-ds.yaml has no DaemonSet with a container kured')
  const tag = container.image.slice(container.image.lastIndexOf(':') + 1)
  container.image = KURED_IMAGE
  container.command = [...container.command, PERIOD]
  return { objects, tag }
}

function documentsOf(file: string, text: string): readonly object[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new Error(`${file}: ${error.message}`)
    return document.toJS() as object
  })
}

const isDaemonSet = (object: object): object is DaemonSet => 'kind' in object && object.kind === 'DaemonSet'

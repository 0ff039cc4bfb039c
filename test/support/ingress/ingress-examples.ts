import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

const objectsIn = (url: URL): readonly object[] =>
  parseAllDocuments(readFileSync(url, 'utf8')).map((document) => document.toJS() as object)

const first = (objects: readonly object[]): object => objects[0] ?? {}

/** The example of the original, which contradicts itself. */
export const originalExample = (): object => first(objectsIn(new URL('original-example.yaml', import.meta.url)))

/** The same put right, as it is shipped, with the Service that belongs to it. */
export const correctedExample = (): readonly object[] =>
  objectsIn(new URL('../../../deploy/examples/ingress-daemonset.yaml', import.meta.url))

/** The one that a person applies first, with its Service. */
export const firstExample = (): readonly object[] =>
  objectsIn(new URL('../../../deploy/examples/ingress-first.yaml', import.meta.url))

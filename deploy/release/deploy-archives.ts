import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { type TarEntry, tar } from '../../testbed/build/tar.ts'
import { CHART } from '../chart/plain-yaml.ts'
import { ROOT } from './release-facts.ts'

/** The chart as `helm package` makes it: the folder of its name, with the version of the release. */
export function chartTar(version: string): Buffer {
  const files = filesBelow(CHART).filter((path) => path !== '.helmignore')
  return tar(
    files.map((path): TarEntry => {
      const text = readFileSync(join(CHART, path), 'utf8')
      return entry(`evenkeel/${path}`, path === 'Chart.yaml' ? ofRelease(text, version) : text)
    }),
  )
}

function ofRelease(text: string, version: string): string {
  const chart = parseDocument(text)
  chart.set('version', version)
  chart.set('appVersion', version)
  return chart.toString()
}

/** Rights, CustomResourceDefinitions, agent, controller and examples, for `kubectl apply -f`; and the units of the rebooter. */
export function plainYamlTar(version: string): Buffer {
  const files = filesBelow(`${ROOT}deploy`).filter((path) =>
    /^(?:(?:crd\/|examples\/)?[^/]+\.yaml|rebooter\/[^/]+)$/.test(path),
  )
  const top = `evenkeel-${version}-yaml`
  return tar(files.map((path) => entry(`${top}/${path}`, readFileSync(`${ROOT}deploy/${path}`, 'utf8'))))
}

const entry = (path: string, text: string): TarEntry => ({ path, mode: 0o644, content: Buffer.from(text) })

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((found) => found.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length).replace(/^\//, ''))
    .toSorted()

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crdTemplateFile } from '../../bin/docs/crd-yaml.ts'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import { INGRESS_GROUPS } from '../../src/model/ingress-daemon-set.ts'

const HEAD = 'apiVersion: v2\nname: evenkeel-agent\nversion: 0.1.0\nappVersion: 0.1.0\n'

/** A chart as it was while it was that of the agent: another name, and neither definitions nor a value for them. */
export function earlierChart(folder: string): string {
  cpSync(CHART, folder, { recursive: true })
  for (const group of INGRESS_GROUPS) rmSync(join(folder, crdTemplateFile(group).replace('chart/evenkeel/', '')))
  writeFileSync(join(folder, 'Chart.yaml'), HEAD)
  const values = readFileSync(join(folder, 'values.yaml'), 'utf8')
  const at = values.indexOf('\ncrds:')
  if (at < 0) throw new Error('the values of the chart have no crds')
  writeFileSync(join(folder, 'values.yaml'), values.slice(0, at))
  return folder
}

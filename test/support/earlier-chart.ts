import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crdTemplateFile, SHIPPED_CRDS } from '../../bin/docs/crd-yaml.ts'
import { CHART } from '../../deploy/chart/plain-yaml.ts'

const HEAD = 'apiVersion: v2\nname: evenkeel-agent\nversion: 0.1.0\nappVersion: 0.1.0\n'

/** A chart as it was while it was that of the agent: another name, and neither definitions nor NodeGuards nor values for them. */
export function earlierChart(folder: string): string {
  cpSync(CHART, folder, { recursive: true })
  for (const crd of SHIPPED_CRDS) rmSync(join(folder, crdTemplateFile(crd).replace('chart/evenkeel/', '')))
  writeFileSync(join(folder, 'Chart.yaml'), HEAD)
  const values = readFileSync(join(folder, 'values.yaml'), 'utf8')
  const at = values.indexOf('\nguard:')
  if (at < 0) throw new Error('the values of the chart have no guard')
  writeFileSync(join(folder, 'values.yaml'), values.slice(0, at))
  return folder
}

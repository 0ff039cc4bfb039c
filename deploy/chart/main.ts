/** Writes the plain YAML that is shipped, from the chart: `npm run plain-yaml -- HELM`. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PLAIN, plainYaml } from './plain-yaml.ts'

const [helm = 'helm'] = process.argv.slice(2)
for (const [file, values] of Object.entries(PLAIN)) {
  writeFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), await plainYaml(helm, values))
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './release-facts.ts'

/** The terms of the npm packages that are part of a bundle: their licences ask to be given with every copy. */
export function thirdPartyLicenses(folders: readonly string[]): string {
  const parts = folders.map((folder) => {
    const at = join(ROOT, folder)
    const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
    const files = readdirSync(at).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    const texts = files.map((file) => readFileSync(join(at, file), 'utf8').trim())
    return [`${name} ${version} (${license})`, ...texts].join('\n\n')
  })
  return `${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

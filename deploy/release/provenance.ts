import { readFileSync } from 'node:fs'
import { type Arch, nodeProgram, nodeVersion } from './node-program.ts'
import { type ReleaseFacts, ROOT } from './release-facts.ts'
import { type Digest, sha256 } from './sha256-sums.ts'

interface ProvenanceParts {
  readonly facts: ReleaseFacts
  readonly builder: string
  readonly arches: readonly Arch[]
  readonly subjects: readonly Digest[]
}

/** From what, and by what, each artifact was made: an in-toto statement with SLSA provenance v1. It is not signed. */
export async function provenance({ facts, builder, arches, subjects }: ProvenanceParts): Promise<string> {
  const programs = await Promise.all(arches.map(nodeProgram))
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://evenkeel.dev/build/release/v1',
        externalParameters: { command: 'npm run release', version: facts.version },
        internalParameters: { filesDifferFromCommit: facts.isChanged },
        resolvedDependencies: [
          { name: 'sources', digest: { gitCommit: facts.commit } },
          { name: 'package-lock.json', digest: { sha256: sha256(readFileSync(`${ROOT}package-lock.json`)) } },
          ...programs.map((program, i) => ({
            uri: `pkg:npm/node-linux-${arches[i]}@${nodeVersion()}`,
            digest: { sha256: sha256(readFileSync(program)) },
          })),
        ],
      },
      runDetails: { builder: { id: builder, version: { node: process.versions.node } } },
    },
  }
  return `${JSON.stringify(statement, undefined, 2)}\n`
}

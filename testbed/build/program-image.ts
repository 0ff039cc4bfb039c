import { ociImage } from './oci-image.ts'
import { type TarEntry, tar } from './tar.ts'

const FOLDERS = ['etc/', 'proc/', 'sys/', 'dev/']
const PASSWD = 'root:x:0:0::/:/sbin/nologin\nnobody:x:65534:65534::/:/sbin/nologin\n'

interface ProgramImage {
  /** The full reference, with its tag. */
  readonly reference: string
  /** Name of the one program: it lies at the root and is the entry point. */
  readonly program: string
  readonly binary: Buffer
}

/** An image of one program that needs nothing else, in one plain layer. */
export function programImage({ reference, program, binary }: ProgramImage): Buffer {
  const layer = tar([
    ...FOLDERS.map((path): TarEntry => ({ path, mode: 0o755 })),
    { path: 'tmp/', mode: 0o1777 },
    { path: 'etc/passwd', mode: 0o644, content: Buffer.from(PASSWD) },
    { path: program, mode: 0o755, content: binary },
  ])
  return ociImage({ reference, layers: [{ tar: layer }], entrypoint: [`/${program}`], path: '/' })
}

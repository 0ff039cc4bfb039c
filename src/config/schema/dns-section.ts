import { section } from './section.ts'
import { switchField } from './switch-field.ts'
import { textField } from './text-field.ts'

const NAME = '[a-z0-9]([a-z0-9-]*[a-z0-9])?'

const namespaceRule = {
  title: 'name',
  pattern: new RegExp(`^${NAME}$`),
  rule: 'lower-case letters, digits and "-"',
  maxLength: 63,
}

export const dnsSection = section(
  {
    check: switchField('Ask DNS. Otherwise a node that is back waits for a Ready endpoint of kube-dns alone.', true),
    service: textField({
      title: 'namespace/name',
      pattern: new RegExp(`^${NAME}/${NAME}$`),
      rule: 'NAMESPACE/NAME of lower-case letters, digits and "-"',
      description: 'The Service of DNS. Without it, it is looked for.',
      example: 'kube-system/kube-dns',
    }).exactOptional(),
    zone: textField({
      title: 'domain',
      pattern: new RegExp(`^${NAME}(\\.${NAME})*$`),
      rule: 'lower-case letters, digits, "-" and "."',
      description: 'The cluster domain. Without it, it is read from the Corefile.',
      example: 'cluster.local',
    }).exactOptional(),
    image: textField({
      title: 'image',
      pattern: /^[A-Za-z0-9][^\s]*$/,
      rule: 'an image as in a pod, without spaces',
      description:
        'The image of evenkeel. With it, DNS is asked from nodes as well, by relays that the roll takes away again: a node ' +
        'that is back is asked for its own. It takes the rights of deploy/roll-dns-rbac.yaml.',
      example: 'registry.example/evenkeel:1.0',
    }).exactOptional(),
    namespace: textField({
      ...namespaceRule,
      description: 'Namespace of the relays. It must exist.',
      example: 'evenkeel',
    }).prefault('evenkeel'),
  },
  'How DNS of the cluster is asked: a node goes only while it is well, and is back only once it works there.',
)

// Sections of server components and of client components that need nothing of a request.

import { ClientSections } from '../../client-sections.jsx';
import { Sections } from '../../sections.jsx';

export default function Page() {
  return (
    <>
      <Sections page="server" />
      <ClientSections page="client" />
    </>
  );
}

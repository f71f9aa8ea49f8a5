/**
 * Variables about the client's place and network, from MaxMind databases, with the names of
 * ingress-nginx. Each has the path of its value in the database.
 */

const country = {
  geoip2_country_code: "country iso_code",
  geoip2_country_name: "country names en",
  geoip2_country_geoname_id: "country geoname_id",
  geoip2_continent_code: "continent code",
  geoip2_continent_name: "continent names en",
  geoip2_continent_geoname_id: "continent geoname_id",
};
const city = {
  geoip2_city_country_code: "country iso_code",
  geoip2_city_country_name: "country names en",
  geoip2_city_country_geoname_id: "country geoname_id",
  geoip2_city_continent_code: "continent code",
  geoip2_city_continent_name: "continent names en",
  geoip2_city: "city names en",
  geoip2_city_geoname_id: "city geoname_id",
  geoip2_postal_code: "postal code",
  geoip2_dma_code: "location metro_code",
  geoip2_latitude: "location latitude",
  geoip2_longitude: "location longitude",
  geoip2_time_zone: "location time_zone",
  geoip2_region_code: "subdivisions 0 iso_code",
  geoip2_region_name: "subdivisions 0 names en",
  geoip2_region_geoname_id: "subdivisions 0 geoname_id",
  geoip2_subregion_code: "subdivisions 1 iso_code",
  geoip2_subregion_name: "subdivisions 1 names en",
  geoip2_subregion_geoname_id: "subdivisions 1 geoname_id",
};
const asn = { geoip2_asn: "autonomous_system_number", geoip2_org: "autonomous_system_organization" };
const isp = { geoip2_isp: "isp", geoip2_isp_org: "organization", geoip2_asn: "autonomous_system_number" };
const anonymous = {
  geoip2_is_anon: "is_anonymous",
  geoip2_is_anonymous: "is_anonymous",
  geoip2_is_anonymous_vpn: "is_anonymous_vpn",
  geoip2_is_hosting_provider: "is_hosting_provider",
  geoip2_is_public_proxy: "is_public_proxy",
  geoip2_is_tor_exit_node: "is_tor_exit_node",
};
const connection = { geoip2_connection_type: "connection_type" };

/** Variables by the part of a database's file name after `GeoLite2-` or `GeoIP2-`. */
export const geoip2Editions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Country: country,
  City: city,
  ASN: asn,
  ISP: isp,
  "Anonymous-IP": anonymous,
  "Connection-Type": connection,
};

/** The variables of all editions. */
export const geoip2Variables: ReadonlySet<string> = new Set(Object.values(geoip2Editions).flatMap(Object.keys));

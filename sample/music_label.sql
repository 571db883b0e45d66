-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
-- MySQL dump 10.13  Distrib 5.7.38, for Linux (x86_64)
--
-- Host: localhost    Database: label
-- ------------------------------------------------------
-- Server version	5.7.38-log

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

--
-- Table structure for table `tbl_artist`
--

DROP TABLE IF EXISTS `tbl_artist`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `tbl_artist` (
  `artist_id` int(11) NOT NULL AUTO_INCREMENT,
  `stage_name` varchar(100) NOT NULL,
  `kind` enum('solo','band','orchestra') NOT NULL DEFAULT 'solo',
  `country` char(2) DEFAULT NULL,
  `signed_on` date DEFAULT NULL,
  `manager_id` int(11) DEFAULT NULL,
  PRIMARY KEY (`artist_id`),
  UNIQUE KEY `uq_stage_name` (`stage_name`),
  KEY `fk_artist_manager_idx` (`manager_id`),
  CONSTRAINT `fk_artist_manager` FOREIGN KEY (`manager_id`) REFERENCES `tbl_manager` (`manager_id`) ON DELETE SET NULL ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8 COMMENT='Artists under contract, past and present';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `tbl_artist`
--

LOCK TABLES `tbl_artist` WRITE;
/*!40000 ALTER TABLE `tbl_artist` DISABLE KEYS */;
INSERT INTO `tbl_artist` VALUES (1,'The Copper Lanterns','band','IE','2015-03-02',1),(2,'Mara Vey','solo','FR','2018-11-19',2),(3,'Quiet Estuary','band','GB','2020-06-08',1),(4,'DJ Halogen','solo','DE','2021-01-25',NULL),(5,'Lowland Chamber Players','orchestra','NL','2012-09-14',2);
/*!40000 ALTER TABLE `tbl_artist` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `tbl_manager`
--

DROP TABLE IF EXISTS `tbl_manager`;
CREATE TABLE `tbl_manager` (
  `manager_id` int(11) NOT NULL AUTO_INCREMENT,
  `name` varchar(80) NOT NULL,
  `email` varchar(120) NOT NULL,
  `commission_pct` decimal(4,2) NOT NULL DEFAULT '15.00',
  PRIMARY KEY (`manager_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8;

LOCK TABLES `tbl_manager` WRITE;
INSERT INTO `tbl_manager` VALUES (1,'Siobhan Garrick','siobhan@label.example.com',15.00),(2,'Etienne Laroque','etienne@label.example.com',17.50);
UNLOCK TABLES;

--
-- Table structure for table `tbl_album`
--

DROP TABLE IF EXISTS `tbl_album`;
CREATE TABLE `tbl_album` (
  `album_id` int(11) NOT NULL AUTO_INCREMENT,
  `artist_id` int(11) NOT NULL,
  `title` varchar(150) NOT NULL,
  `catalogue_no` varchar(20) NOT NULL,
  `released_on` date DEFAULT NULL,
  `format` set('vinyl','cd','digital') NOT NULL DEFAULT 'digital',
  `list_price` decimal(6,2) DEFAULT NULL,
  PRIMARY KEY (`album_id`),
  UNIQUE KEY `uq_catalogue_no` (`catalogue_no`),
  KEY `ix_album_artist` (`artist_id`),
  CONSTRAINT `fk_album_artist` FOREIGN KEY (`artist_id`) REFERENCES `tbl_artist` (`artist_id`) ON DELETE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8;

LOCK TABLES `tbl_album` WRITE;
INSERT INTO `tbl_album` VALUES (1,1,'Harbour Songs','LBL-001','2016-05-20','vinyl,digital',21.00),(2,1,'Tin Roof Weather','LBL-014','2019-10-04','cd,digital',14.50),(3,2,'Minuit passé','LBL-017','2020-02-14','digital',9.99),(4,3,'Low Tide','LBL-022','2021-08-27','vinyl,cd,digital',18.00),(5,5,'Suites for Rain','LBL-009','2017-11-03','cd',16.00);
UNLOCK TABLES;

--
-- Table structure for table `tbl_track`
--

DROP TABLE IF EXISTS `tbl_track`;
CREATE TABLE `tbl_track` (
  `track_id` int(11) NOT NULL AUTO_INCREMENT,
  `album_id` int(11) NOT NULL,
  `track_no` tinyint(4) NOT NULL,
  `title` varchar(150) NOT NULL,
  `duration_sec` smallint(6) NOT NULL COMMENT 'length in seconds',
  `isrc` char(12) DEFAULT NULL,
  `remix_of_id` int(11) DEFAULT NULL,
  `explicit` tinyint(1) NOT NULL DEFAULT '0',
  PRIMARY KEY (`track_id`),
  UNIQUE KEY `uq_album_track` (`album_id`,`track_no`),
  UNIQUE KEY `uq_isrc` (`isrc`),
  KEY `ix_remix` (`remix_of_id`),
  CONSTRAINT `fk_track_album` FOREIGN KEY (`album_id`) REFERENCES `tbl_album` (`album_id`) ON DELETE CASCADE,
  CONSTRAINT `fk_track_remix` FOREIGN KEY (`remix_of_id`) REFERENCES `tbl_track` (`track_id`)
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8;

LOCK TABLES `tbl_track` WRITE;
INSERT INTO `tbl_track` VALUES (1,1,1,'Gangway',214,'XX0011600001',NULL,0),(2,1,2,'Salt on the Window',188,'XX0011600002',NULL,0),(3,1,3,'Night Ferry',301,'XX0011600003',NULL,0),(4,2,1,'Gutter Music',176,'XX0011900001',NULL,1),(5,2,2,'Night Ferry (Storm Mix)',342,'XX0011900002',3,0),(6,3,1,'Réverbère',205,'XX0012000001',NULL,0),(7,3,2,'Sans adresse',233,NULL,NULL,0),(8,4,1,'Mudflats',412,'XX0012100001',NULL,0),(9,4,2,'Curlew',266,'XX0012100002',NULL,0),(10,5,1,'Suite no. 1: Drizzle',540,NULL,NULL,0);
UNLOCK TABLES;

--
-- Table structure for table `tbl_songwriter`
--

DROP TABLE IF EXISTS `tbl_songwriter`;
CREATE TABLE `tbl_songwriter` (
  `songwriter_id` int(11) NOT NULL AUTO_INCREMENT,
  `full_name` varchar(100) NOT NULL,
  `publisher` varchar(100) DEFAULT NULL,
  PRIMARY KEY (`songwriter_id`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8;

LOCK TABLES `tbl_songwriter` WRITE;
INSERT INTO `tbl_songwriter` VALUES (1,'Declan Mistral','Peat Street Publishing'),(2,'Mara Vey',NULL),(3,'Isolde Crane','Peat Street Publishing'),(4,'Huub van Regen','Lowland Editions');
UNLOCK TABLES;

--
-- Table structure for table `tbl_track_songwriter`
--

DROP TABLE IF EXISTS `tbl_track_songwriter`;
CREATE TABLE `tbl_track_songwriter` (
  `track_id` int(11) NOT NULL,
  `songwriter_id` int(11) NOT NULL,
  `share_pct` decimal(5,2) NOT NULL DEFAULT '100.00',
  PRIMARY KEY (`track_id`,`songwriter_id`),
  KEY `ix_ts_songwriter` (`songwriter_id`),
  CONSTRAINT `fk_ts_songwriter` FOREIGN KEY (`songwriter_id`) REFERENCES `tbl_songwriter` (`songwriter_id`),
  CONSTRAINT `fk_ts_track` FOREIGN KEY (`track_id`) REFERENCES `tbl_track` (`track_id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8;

LOCK TABLES `tbl_track_songwriter` WRITE;
INSERT INTO `tbl_track_songwriter` VALUES (1,1,100.00),(2,1,60.00),(2,3,40.00),(3,1,100.00),(4,3,100.00),(5,1,100.00),(6,2,100.00),(8,3,100.00),(10,4,100.00);
UNLOCK TABLES;

--
-- Table structure for table `tbl_platform`
--

DROP TABLE IF EXISTS `tbl_platform`;
CREATE TABLE `tbl_platform` (
  `platform_id` smallint(6) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) NOT NULL,
  `payout_per_stream` decimal(8,6) NOT NULL,
  PRIMARY KEY (`platform_id`),
  UNIQUE KEY `name` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8;

LOCK TABLES `tbl_platform` WRITE;
INSERT INTO `tbl_platform` VALUES (1,'Tunestream',0.003200),(2,'WaveBox',0.004100),(3,'Needle & Groove',0.007500);
UNLOCK TABLES;

--
-- Table structure for table `tbl_stream_stat`
--

DROP TABLE IF EXISTS `tbl_stream_stat`;
CREATE TABLE `tbl_stream_stat` (
  `track_id` int(11) NOT NULL,
  `platform_id` smallint(6) NOT NULL,
  `month` date NOT NULL,
  `streams` int(10) unsigned NOT NULL DEFAULT '0',
  PRIMARY KEY (`track_id`,`platform_id`,`month`),
  KEY `ix_stat_platform` (`platform_id`),
  CONSTRAINT `fk_stat_platform` FOREIGN KEY (`platform_id`) REFERENCES `tbl_platform` (`platform_id`),
  CONSTRAINT `fk_stat_track` FOREIGN KEY (`track_id`) REFERENCES `tbl_track` (`track_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8;

LOCK TABLES `tbl_stream_stat` WRITE;
INSERT INTO `tbl_stream_stat` VALUES (1,1,'2024-01-01',18250),(1,2,'2024-01-01',4120),(1,1,'2024-02-01',19003),(3,1,'2024-01-01',50311),(6,2,'2024-01-01',7702),(6,3,'2024-02-01',811),(8,1,'2024-02-01',12480);
UNLOCK TABLES;

--
-- Table structure for table `tbl_royalty_payment`
--

DROP TABLE IF EXISTS `tbl_royalty_payment`;
CREATE TABLE `tbl_royalty_payment` (
  `payment_id` int(11) NOT NULL AUTO_INCREMENT,
  `artist_id` int(11) NOT NULL,
  `period` char(7) NOT NULL COMMENT 'year and month, e.g. 2024-01',
  `amount` decimal(10,2) NOT NULL,
  `paid_at` timestamp NULL DEFAULT NULL,
  PRIMARY KEY (`payment_id`),
  UNIQUE KEY `uq_artist_period` (`artist_id`,`period`),
  CONSTRAINT `fk_royalty_artist` FOREIGN KEY (`artist_id`) REFERENCES `tbl_artist` (`artist_id`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8;

LOCK TABLES `tbl_royalty_payment` WRITE;
INSERT INTO `tbl_royalty_payment` VALUES (1,1,'2024-01',219.40,'2024-02-15 09:00:00'),(2,2,'2024-01',31.58,'2024-02-15 09:00:00'),(3,1,'2024-02',60.81,NULL);
UNLOCK TABLES;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;

-- Dump completed on 2024-03-04  3:10:07
